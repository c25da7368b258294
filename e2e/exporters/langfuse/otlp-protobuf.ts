/**
 * An OTLP trace request as its JSON, read with the field numbers of opentelemetry-proto and nothing of the packages: what is
 * tested here is what they write.
 */
type Kind = 'text' | 'hex' | 'number' | 'bool' | 'fixed64' | 'double' | 'int64' | Shape;

interface Shape {
  readonly [field: number]: readonly [name: string, kind: Kind | (() => Kind), list?: 'list'];
}

const ANY: Shape = {
  1: ['stringValue', 'text'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int64'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', () => ({ 1: ['values', ANY, 'list'] }) as Shape],
  6: ['kvlistValue', () => ({ 1: ['values', KEY_VALUE, 'list'] }) as Shape],
  7: ['bytesValue', 'hex'],
};
const KEY_VALUE: Shape = { 1: ['key', 'text'], 2: ['value', ANY] };
const EVENT: Shape = { 1: ['timeUnixNano', 'fixed64'], 2: ['name', 'text'], 3: ['attributes', KEY_VALUE, 'list'] };
const LINK: Shape = { 1: ['traceId', 'hex'], 2: ['spanId', 'hex'], 4: ['attributes', KEY_VALUE, 'list'] };
const SPAN: Shape = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'text'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'number'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', KEY_VALUE, 'list'],
  10: ['droppedAttributesCount', 'number'],
  11: ['events', EVENT, 'list'],
  13: ['links', LINK, 'list'],
  15: ['status', { 2: ['message', 'text'], 3: ['code', 'number'] }],
};
const SCOPE: Shape = { 1: ['name', 'text'], 2: ['version', 'text'], 3: ['attributes', KEY_VALUE, 'list'] };
const REQUEST: Shape = {
  1: [
    'resourceSpans',
    {
      1: ['resource', { 1: ['attributes', KEY_VALUE, 'list'] }],
      2: ['scopeSpans', { 1: ['scope', SCOPE], 2: ['spans', SPAN, 'list'], 3: ['schemaUrl', 'text'] }, 'list'],
    },
    'list',
  ],
};

const VARINT = 0;
const EIGHT_BYTES = 1;
const BYTES = 2;

/** @throws Error for bytes that are none. */
export const requestOfProtobuf = (bytes: Buffer): Record<string, unknown> => message(bytes, REQUEST);

function message(bytes: Buffer, shape: Shape): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 63n) throw new Error('not protobuf');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    const length = wire === VARINT ? 0 : wire === BYTES ? Number(varint()) : wire === EIGHT_BYTES ? 8 : 4;
    const number = wire === VARINT ? varint() : 0n;
    const part = bytes.subarray(at, at + length);
    if (part.length < length) throw new Error('protobuf ends too early');
    at += length;
    const [name, kind, list] = shape[tag >>> 3] ?? [];
    if (name === undefined || kind === undefined) continue;
    const value = fieldValue(part, number, typeof kind === 'function' ? kind() : kind);
    if (list === undefined) made[name] = value;
    else made[name] = [...((made[name] as unknown[] | undefined) ?? []), value];
  }
  return made;
}

function fieldValue(part: Buffer, number: bigint, kind: Kind): unknown {
  switch (kind) {
    case 'text':
      return part.toString('utf8');
    case 'hex':
      return part.toString('hex');
    case 'number':
      return Number(number);
    case 'bool':
      return number !== 0n;
    case 'int64':
      return String(number);
    case 'fixed64':
      return String(part.readBigUInt64LE());
    case 'double':
      return part.readDoubleLE();
    default:
      return message(part, kind);
  }
}

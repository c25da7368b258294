/** One field of a message, as it stands: `bytes` is all of it with its tag, `value` what is in it. */
export interface Field {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Of a varint. */
  readonly value: number;
  /** Of a string, bytes or a message. */
  readonly content: Uint8Array;
}

const NOTHING = new Uint8Array(0);

/** The fields of a message in order. @throws RangeError for what is no message. */
export function* fieldsOf(message: Uint8Array): Generator<Field, void, void> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = message[at++];
      if (byte === undefined || factor > 2 ** 63) throw new RangeError('cut off');
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  const skip = (size: number) => {
    at += size;
    if (at > message.length) throw new RangeError('cut off');
  };
  while (at < message.length) {
    const start = at;
    const tag = varint();
    let value = 0;
    let content: Uint8Array = NOTHING;
    switch (tag % 8) {
      case 0:
        value = varint();
        break;
      case 1:
        skip(8);
        break;
      case 2: {
        const size = varint();
        const from = at;
        skip(size);
        content = message.subarray(from, at);
        break;
      }
      case 5:
        skip(4);
        break;
      default:
        throw new RangeError('no field');
    }
    yield { number: Math.floor(tag / 8), bytes: message.subarray(start, at), value, content };
  }
}

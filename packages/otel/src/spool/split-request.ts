import type { EncodedSpan, Encoding } from '../encoding/encoding.js';

/** A request with a part of the spans of another one. */
export interface Part {
  readonly body: Uint8Array;
  readonly spans: number;
}

/** A request as two of half its spans, or `undefined` if it has one span only, or cannot be read. */
export function halves(body: Uint8Array, encoding: Encoding): readonly [Part, Part] | undefined {
  const spans = spansIn(body, encoding);
  if (spans.length < 2) return undefined;
  const middle = Math.ceil(spans.length / 2);
  return [partOf(spans.slice(0, middle), encoding), partOf(spans.slice(middle), encoding)];
}

/** A request of one span with nothing left of it but what it is and where it stands, marked as cut. */
export function bareRequest(body: Uint8Array, encoding: Encoding): Part | undefined {
  const [span, ...others] = spansIn(body, encoding);
  if (span === undefined || others.length > 0) return undefined;
  const bare = encoding.bare(span.arena.view(span.start, span.start + span.bytes));
  const arena = { view: (start: number, end: number) => bare.subarray(start, end) };
  return partOf([{ ...span, arena, start: 0, bytes: bare.length }], encoding);
}

const LONGEST_NAME = 200;

/** Name and ids of the first span of a request, for a message. */
export function nameOfSpan(body: Uint8Array, encoding: Encoding): string {
  const [span] = spansIn(body, encoding);
  if (span === undefined) return 'that cannot be read';
  const { name, traceId, spanId } = encoding.identity(span.arena.view(span.start, span.start + span.bytes));
  return `${JSON.stringify(name.slice(0, LONGEST_NAME))} (trace ${traceId}, span ${spanId})`;
}

function spansIn(body: Uint8Array, encoding: Encoding): EncodedSpan[] {
  try {
    return encoding.spansOf(body);
  } catch {
    return [];
  }
}

const partOf = (spans: readonly EncodedSpan[], encoding: Encoding): Part => ({
  body: encoding.request(spans),
  spans: spans.length,
});

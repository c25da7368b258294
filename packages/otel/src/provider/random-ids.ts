const words = new Uint32Array(4);
const bytes = Buffer.from(words.buffer);

/** 32 hex digits, never all zero. Not for secrets: a trace id has only to be unlikely to come twice. */
export function randomTraceId(): string {
  return randomHex(4);
}

/** 16 hex digits, never all zero. */
export function randomSpanId(): string {
  return randomHex(2);
}

function randomHex(count: 2 | 4): string {
  for (let i = 0; i < count; i++) words[i] = Math.random() * 0x1_0000_0000;
  if (words[0] === 0) words[0] = 1;
  return bytes.toString('hex', 0, count * 4);
}

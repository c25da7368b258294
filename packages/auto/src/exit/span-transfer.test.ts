import { createObserver, JSON_ENCODING, type ReadableSpan, TraceRequests } from '@hermes-observer/otel';
import { expect, it } from 'vitest';
import { readSpans, writeSpans } from './span-transfer.js';

const written = (spans: readonly ReadableSpan[]) =>
  [...new TraceRequests(JSON_ENCODING, 1_000_000).of(spans)].map(({ body }) => new TextDecoder().decode(body));

it('spans are the same behind it', async () => {
  const spans: ReadableSpan[] = [];
  const exporter = {
    export: (batch: ReadableSpan[], done: (result: { code: number }) => void) =>
      done({ code: spans.push(...batch) && 0 }),
    shutdown: async () => {},
  };
  const env = { TRACEPARENT: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, TRACESTATE: 'vendor=1' };
  const observer = createObserver({ exporters: [exporter], capture: 'full', env });
  await observer.turn({ sessionId: 's', userMessage: 'hi' }, async (turn) => {
    const failing = turn.tool({ name: 'search', args: { q: 1 } }, () => {
      throw new Error('broken');
    });
    await failing.catch(() => undefined);
  });
  await observer.turn({ sessionId: 's' }, async () => {});
  await observer.shutdown();
  expect(spans).toHaveLength(3);
  expect(written(spans)[0]).toContain('vendor=1');
  expect(written(readSpans(writeSpans(spans)))).toEqual(written(spans));
});

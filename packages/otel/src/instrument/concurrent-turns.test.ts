import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { CHUNKS, ModelStream } from './model-stream.test-support.js';
import { Scene, sleep, treeOf } from './scene.test-support.js';

const TURNS = 1000;
const pause = () => sleep(Math.random() * 10);

it(`${TURNS} turns at once keep their ids and their trees apart`, async () => {
  const exported: ReadableSpan[] = [];
  const exporter = {
    export(spans: ReadableSpan[], done: (result: { code: number }) => void) {
      exported.push(...spans);
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const scene = new Scene({ exporters: [exporter], env: { OTEL_BSP_MAX_QUEUE_SIZE: '100000' } });
  // One stream for all of them: whoever reads it must report to its own request.
  const shared = {
    async *[Symbol.asyncIterator]() {
      for (const chunk of CHUNKS) {
        await pause();
        yield chunk;
      }
    },
  };
  const ids = new Set<string>();
  const values = await Promise.all(
    Array.from({ length: TURNS }, (_, n) =>
      scene.observer.turn({}, async (turn) => {
        ids.add(turn.turnId).add(turn.sessionId);
        await pause();
        const stream = await turn.request({ model: `first-${n}` }, () =>
          n % 2 === 0 ? shared : ModelStream.of(CHUNKS),
        );
        await pause();
        for await (const _ of stream) await pause();
        await Promise.all([
          turn.tool({ name: `quick-${n}`, args: {}, callId: 'call_0' }, pause),
          turn.tool({ name: `delegate-${n}`, args: {}, callId: 'call_0' }, async () => {
            await pause();
            await turn.subagent({ role: `child-${n}` }, async (child) => {
              await pause();
              await child.request({ model: `child-${n}` }, pause);
            });
          }),
        ]);
        return n;
      }),
    ),
  );
  expect(values).toEqual(Array.from({ length: TURNS }, (_, n) => n));
  expect(ids.size).toBe(2 * TURNS);
  await scene.observer.flush();

  const traces = new Map<string, ReadableSpan[]>();
  for (const span of exported) {
    const { traceId } = span.spanContext();
    traces.set(traceId, [...(traces.get(traceId) ?? []), span]);
  }
  expect(traces.size).toBe(TURNS);
  const seen = new Set<string>();
  for (const spans of traces.values()) {
    const n = /-(\d+)$/.exec(spans.find(({ name }) => name.startsWith('chat first'))?.name ?? '')?.[1] ?? '';
    seen.add(n);
    expect(treeOf(spans)).toEqual([
      'invoke_agent hermes',
      `  chat first-${n}`,
      `  execute_tool delegate-${n}`,
      `    invoke_agent child-${n}`,
      `      chat child-${n}`,
      `  execute_tool quick-${n}`,
    ]);
    for (const span of spans) expect(span.attributes['hermes.incomplete']).toBeUndefined();
    const usage = spans.find(({ name }) => name === `chat first-${n}`)?.attributes['gen_ai.usage.input_tokens'];
    expect(usage).toBe(7);
  }
  expect(seen.size).toBe(TURNS);
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { batch, Scene, until } from './scene.test-support.js';
import { Sink } from './sink.test-support.js';

/** `SERVICE_RECORDS=1000000` makes it longer. */
const RECORDS = Number(process.env.SERVICE_RECORDS ?? 200_000);
const HOOKS = ['pre_llm_call', 'pre_tool_call', 'post_tool_call', 'on_session_end'];

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let scene: Scene;
let sink: Sink;
let received = 0;
beforeEach(async () => {
  scene = new Scene();
  sink = await new Sink().open();
  sink.react = ({ spans }, response) => {
    received += spans.length;
    response.writeHead(200).end('{}');
    return 'handled';
  };
});
afterEach(async () => {
  await scene.end();
  await sink.close();
});

/** The records of some turns, each of a session and with a call of its own. */
function turns(first: number, count: number): string[] {
  const lines: string[] = [];
  for (let n = first; n < first + count; n++) {
    HOOKS.forEach((hook, i) => {
      const payload = { session_id: `s${n}`, turn_id: `t${n}`, tool_name: 'x', tool_call_id: 'c', completed: true };
      lines.push(
        JSON.stringify({ hook, time_unix_nano: '1764450000000000000', producer: 'p', seq: n * 4 + i + 1, payload }),
      );
    });
  }
  return lines;
}

it(`takes a burst of ${RECORDS} records, loses none, and its memory stays flat`, async () => {
  const service = await scene.open({ exporters: [{ kind: 'http', name: 'sink', url: sink.url }], syncMillis: 100 });
  const each = 500;
  const total = RECORDS / 4;
  const heap: number[] = [];
  let under: Promise<unknown>[] = [];
  for (let n = 0; n < total; n += each) {
    under.push(service.take(batch(turns(n, each))));
    if (service.isPaused || under.length > 20) {
      await Promise.all(under);
      under = [];
    }
    if ((n / each) % Math.ceil(total / each / 10) === 0) {
      await Promise.all(under);
      await service.settled();
      collectGarbage();
      heap.push(process.memoryUsage().heapUsed);
    }
  }
  await Promise.all(under);
  await until(() => received === 2 * total, 60_000);
  await until(() => service.counts().find(({ name }) => name === 'journal_lag_records')?.value === 0);
  // From when all that is remembered of closed turns and sessions is full.
  const [early = 0] = heap.slice(Math.ceil(heap.length * 0.4));
  expect(((heap.at(-1) ?? 0) - early) / 2 ** 20).toBeLessThan(40);
}, 300_000);

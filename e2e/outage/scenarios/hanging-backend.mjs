// A backend that takes requests and never answers, beside one that is well.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { SpanSink } from '../../kill/span-sink.mjs';
import { pause, until } from '../scene.mjs';

const STOP_MILLIS = 10_000;
const OTHER_MILLIS = 3_000;

export async function hanging(scene, { isFull }) {
  const [sink, other] = [new SpanSink(), new SpanSink()];
  const url = await sink.open();
  sink.close();
  let requests = 0;
  const hole = createServer((request) => {
    requests++;
    request.resume();
  }).listen(Number(new URL(url).port), '127.0.0.1');
  await once(hole, 'listening');
  const config = {
    exporters: [
      { name: 'sink', url },
      { name: 'other', url: await other.open() },
    ],
  };
  try {
    const service = await scene.serve({ config });
    scene.load();
    await pause(isFull ? 40_000 : 8_000);
    await scene.endLoad();
    scene.checkNotHeldUp();
    const expected = scene.expected().size;
    await until('the other backend has all', () => other.versions.size === expected, OTHER_MILLIS);
    const before = await service.metrics();
    scene.check(
      'the other backend had all at once',
      before.value('exported_spans', { exporter: 'other' }) === expected,
      `${other.versions.size} of ${expected} spans`,
    );
    scene.check(
      'for the one that hangs they wait',
      requests > 0 && before.value('spool_spans', { exporter: 'sink' }) === expected,
      `${requests} requests`,
    );
    const { code, millis } = await service.stop();
    scene.check(
      'SIGTERM ends it',
      millis < STOP_MILLIS && code !== null,
      `exit code ${code} in ${millis.toFixed(0)} ms`,
    );
    hole.closeAllConnections();
    await once(hole.close(), 'close');
    await sink.open();
    await service.start();
    await scene.settled();
    await scene.account(sink, { restarts: 1 });
    scene.check('nothing came twice to the other one', other.taken === expected, `${other.taken} taken`);
  } finally {
    hole.closeAllConnections();
    hole.close();
    sink.close();
    other.close();
  }
}

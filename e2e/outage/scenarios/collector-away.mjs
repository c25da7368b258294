// The Collector is killed under load, and comes back.
import { SpanSink } from '../../kill/span-sink.mjs';
import { Collector } from '../collector.mjs';
import { pause } from '../scene.mjs';
import { factsOf } from '../span-facts.mjs';

export async function collectorAway(scene, { isFull }) {
  const sink = new SpanSink();
  // The Collector writes spans anew.
  sink.versionOf = factsOf;
  const collector = new Collector(await sink.open());
  await collector.start();
  try {
    const service = await scene.serve({ config: { exporters: [{ name: 'sink', url: collector.url }] } });
    scene.load();
    await pause(3_000);
    await collector.kill();
    const before = sink.versions.size;
    const seconds = isFull ? 60 : 10;
    await pause(seconds * 1000);
    const away = await service.metrics();
    const [waiting, retries] = [away.value('spool_spans'), away.value('export_retries')];
    scene.check(
      `${seconds} s without the Collector: spans wait, and tries are counted`,
      before > 0 && waiting > 0 && retries > 0,
      `${before} spans before, ${waiting} wait, ${retries} retries`,
    );
    await collector.start();
    await pause(2_000);
    await scene.endLoad();
    scene.checkNotHeldUp();
    await scene.settled(90_000);
    await scene.account(sink);
  } finally {
    await collector.kill();
    sink.close();
  }
}

// The clock of the machine is set back by an hour under load.
import { pathToFileURL } from 'node:url';
import { Producer, recordings } from '../../kill/producers.mjs';
import { SocketFeed } from '../../kill/socket-feed.mjs';
import { SpanSink } from '../../kill/span-sink.mjs';
import { pause, until } from '../scene.mjs';

const HOUR_MILLIS = 3_600_000;
const CLOCK = new URL('../shifted-clock.mjs', import.meta.url);

export async function clockSetBack(scene) {
  const sink = new SpanSink();
  let negative = 0;
  const asked = [];
  let isBusy = false;
  sink.react = (spans, response) => {
    if (isBusy || asked.length === 1) asked.push(performance.now());
    if (isBusy) {
      isBusy = false;
      response.writeHead(429, { 'retry-after': new Date(Date.now() + 2_000).toUTCString() }).end();
      return true;
    }
    for (const span of spans) {
      if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano)) negative++;
    }
    return false;
  };
  const url = await sink.open();
  try {
    const service = await scene.serve({
      config: { producer_grace: '1s', exporters: [{ name: 'sink', url }] },
      args: ['--import', pathToFileURL(CLOCK.pathname).href],
    });
    scene.load();
    await pause(3_000);
    const before = scene.acknowledged;
    scene.shiftClock(-HOUR_MILLIS);
    process.kill(service.pid, 'SIGUSR2');
    await pause(4_000);
    const { made } = scene;
    await until('records are acknowledged', () => scene.acknowledged >= made);
    const { producers } = await (await service.get('/v1/status')).json();
    const behind = Date.now() - Math.max(...producers.map(({ lastSeen }) => lastSeen));
    scene.check('its clock was set back', behind > HOUR_MILLIS - 60_000, `${(behind / 60_000).toFixed(0)} min`);
    isBusy = true;
    await until('a backend that names a time is asked again', () => asked.length > 1, 20_000);
    const gap = asked[1] - asked[0];
    scene.check('a time that a backend names is one of its own clock', gap < 10_000, `${gap.toFixed(0)} ms`);
    scene.check('records are taken all the same', scene.acknowledged > before, `${before}, then ${scene.acknowledged}`);
    scene.check('what checkpoints and spools do goes on', (await service.metrics()).value('checkpoint_failures') === 0);
    const checkpoints = (await service.metrics()).value('checkpoints');
    await until('a checkpoint is made', async () => (await service.metrics()).value('checkpoints') > checkpoints);
    await scene.endLoad();
    scene.checkNotHeldUp();
    await scene.settled();
    await scene.account(sink);

    // A turn of before, whose agent goes away now: the clock that was set ends it.
    const arrived = sink.versions.size;
    const open = new Producer('gone', scene.random, { recordings: recordings(['u-sigkill-mid-turn']), life: 1 });
    const feed = new SocketFeed(service.socket, open, 100);
    await feed.running;
    const began = performance.now();
    await scene.settled(15_000);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    scene.check('timers go on: a producer that is gone is closed', sink.versions.size > arrived, `${seconds} s`);
    scene.check('no span ends before it starts', negative === 0, `${negative} do`);
  } finally {
    sink.close();
  }
}

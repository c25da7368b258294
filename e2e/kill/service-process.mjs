// A service in a process of its own, fed by messages: what the run kills.
import { Service } from '../../packages/cli/dist/service/service.js';

const [dataFolder, url, seed] = process.argv.slice(2);
const POLICIES = ['interval', 'always'];

const service = await Service.open({
  dataFolder,
  sync: POLICIES[Number(seed) % POLICIES.length],
  syncMillis: 30,
  clock: { settleMillis: 1_500, idleMillis: 4_000, personMillis: 6_000 },
  producerSilenceMillis: 6_000,
  // All of it is looked at in the end.
  journal: { history: { bytes: 2 ** 40 }, maxBytes: 2 ** 40 },
  exporters: [{ kind: 'http', name: 'sink', url }],
  onWarning: (text) => process.send({ warning: text }),
});

process.on('message', async ({ id, lines, ask }) => {
  if (ask === 'state') {
    process.send({
      id,
      producers: service.producers().length,
      exporters: service.exporters(),
      counts: service.counts(),
    });
    return;
  }
  if (ask === 'stop') {
    await service.stop();
    process.disconnect();
    return;
  }
  try {
    const records = lines.map((line) => JSON.parse(line));
    const acks = await service.take({ lines: lines.map((line) => Buffer.from(line)), records });
    process.send({ id, acks });
  } catch (error) {
    process.send({ id, error: error.code ?? String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });

// npm run e2e:hostile [-- --full] [-- --only NAME,NAME]
//
// The real service is attacked by a local client, one way after the other. Meanwhile honest clients go on sending: each of
// their records must be acknowledged in time, and the service's memory stay below a bound.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Producer, wholeRecordings } from '../kill/producers.mjs';
import { ServeCommand, TOKEN } from '../kill/serve-command.mjs';
import { SocketFeed } from '../kill/socket-feed.mjs';
import { Tally } from '../kill/tally.mjs';
import { HttpFeed } from '../outage/http-feed.mjs';
import { ATTACKS } from './attacks.mjs';

/** An honest record waits no longer for its acknowledgement. */
const LONGEST_ACK_MILLIS = 2_000;
/**
 * What the process may take, in MiB. An attack may say more: `limits.waiting_bytes` are 256 MiB, for records and bodies, and
 * again for half lines.
 */
const MOST_MIB = 320;
const SAMPLE_MILLIS = 100;
const SECRET = 'the secret of the end-to-end tests';
const ATTACKER = fileURLToPath(new URL('attacker.mjs', import.meta.url));
const MOST_ATTACK_MILLIS = 240_000;

const { values } = parseArgs({ options: { full: { type: 'boolean', default: false }, only: { type: 'string' } } });
const tally = new Tally();
const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
const recordings = wholeRecordings();
let feeds = 0;

const service = new ServeCommand(folder, {
  config: { webhook: { secret: SECRET }, exporters: [{ name: 'file', file: join(folder, 'spans.jsonl') }] },
});
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** Honest clients: one at each door, which come anew with each attack. */
function honest() {
  const producer = () => new Producer(`honest-${++feeds}`, Math.random, { recordings, life: Number.POSITIVE_INFINITY });
  return [new SocketFeed(service.socket, producer(), 50), new HttpFeed(service.url, producer(), 50)];
}

const refusedBy = (metrics) => metrics.value('malformed_lines');

async function run(name, { check, producersThatMustNotBe = [], mostMib = MOST_MIB }) {
  const tell = (what, isGood, details) => tally.check(`${name}: ${what}`, isGood, details);
  const began = performance.now();
  // Each attack begins with a service that has grown in no other one.
  await endWell();
  await service.start();
  const before = await service.metrics();
  const { pid } = service;
  const clients = honest();
  await pause(300);
  let most = 0;
  const sampling = setInterval(() => {
    most = Math.max(most, service.residentBytes);
  }, SAMPLE_MILLIS);
  const child = fork(ATTACKER, { stdio: 'inherit' });
  const target = { socket: service.socket, port: service.port, token: TOKEN, secret: SECRET, isFull: values.full };
  child.send({ name, target });
  const timer = setTimeout(() => child.kill('SIGKILL'), MOST_ATTACK_MILLIS);
  const facts = await Promise.race([
    once(child, 'message').then(([given]) => given),
    once(child, 'exit').then(() => {}),
  ]);
  clearTimeout(timer);
  await pause(300);
  clearInterval(sampling);
  if (!service.isRunning) {
    tell('the service goes on', false, service.log.slice(-3000));
    for (const client of clients) client.abandon();
    await service.start();
    return;
  }
  for (const client of clients) client.finish();
  const isDone = await Promise.race([
    Promise.all(clients.map(({ running }) => running)).then(() => true),
    pause(10_000).then(() => false),
  ]);
  const longest = Math.max(...clients.map(({ longestAck }) => longestAck));
  const lost = clients.flatMap(({ errors }) => errors);
  tell(
    'honest clients were served',
    isDone && longest < LONGEST_ACK_MILLIS && lost.length === 0 && service.pid === pid,
    `longest wait ${longest.toFixed(0)} ms ${lost.length === 0 ? '' : JSON.stringify(lost[0])}`,
  );
  for (const client of clients) client.abandon();
  const mib = most / 2 ** 20;
  tell('memory stayed below its bound', mib < mostMib, `${mib.toFixed(0)} of ${mostMib} MiB`);
  if (facts === undefined) tell('the attack came to its end', false);
  else {
    const refused = refusedBy(await service.metrics()) - refusedBy(before);
    for (const one of check(facts, { refused })) tell(...one);
  }
  const { producers } = await (await service.get('/v1/status')).json();
  const inside = producers.map(({ producer }) => producer).filter((id) => producersThatMustNotBe.includes(id));
  if (producersThatMustNotBe.length > 0) tell('no such record got in', inside.length === 0, inside.join(', '));
  console.log(`     ${name}: ${((performance.now() - began) / 1000).toFixed(0)} s`);
}

/** Stops the service, if it runs, which must not take long after an attack either. */
async function endWell() {
  if (!service.isRunning) return;
  const { code, millis } = await service.stop();
  if (code === 0 && millis < 10_000) return;
  tally.check('the service ends well', false, `exit code ${code} in ${millis.toFixed(0)} ms`);
}

for (const [name, attack] of Object.entries(ATTACKS)) {
  if (values.only !== undefined && !values.only.split(',').includes(name)) continue;
  try {
    await run(name, attack);
  } catch (error) {
    tally.check(`${name}: it comes to its end`, false, error.stack);
    if (!service.isRunning) await service.start();
  }
}
await endWell();
rmSync(folder, { recursive: true, force: true });
process.exit(tally.end());

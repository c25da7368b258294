// Kills the service again and again under load, and accounts for every record that it had acknowledged. Every second time it
// is the real `hermes-observer serve`, fed over its socket; else the service in it, fed without listeners.
//
// npm run e2e:kill [-- --full] [-- --kills 20] [-- --seed 7]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readJournal } from './journal-spans.mjs';
import { Producer } from './producers.mjs';
import { ServeCommand } from './serve-command.mjs';
import { SocketFeed } from './socket-feed.mjs';
import { SpanSink } from './span-sink.mjs';

const { values } = parseArgs({
  options: {
    full: { type: 'boolean' },
    kills: { type: 'string' },
    seed: { type: 'string' },
    keep: { type: 'boolean' },
  },
});
const kills = Number(values.kills ?? (values.full ? 100 : 20));
const seed = Number(values.seed ?? Date.now() % 100_000);
const PRODUCERS = 8;
const script = fileURLToPath(new URL('service-process.mjs', import.meta.url));

let state = seed || 1;
/** xorshift: the same seed gives the same run, as far as the machine does. */
function random() {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) / 2 ** 32;
}
const between = (least, most) => least + random() * (most - least);
const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

const folder = mkdtempSync(join(tmpdir(), 'kill-'));
const sink = new SpanSink();
const url = await sink.open();
const acknowledged = new Map();
const warnings = new Map();
let passed = 0;
let failed = 0;
let number = 0;
const producers = Array.from({ length: PRODUCERS }, newProducer);

function newProducer() {
  return new Producer(`p${++number}`, random);
}

function check(what, isGood, details = '') {
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${what}${details === '' ? '' : `: ${details}`}`);
  if (isGood) passed++;
  else failed++;
}

/** A service that runs, and what was sent to it. */
class Run {
  #waiting = new Map();
  #next = 0;
  isOver = false;

  static async start(round) {
    const run = new Run();
    run.child = fork(script, [folder, url, String(round)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    run.exit = once(run.child, 'exit').then(([code, signal]) => {
      run.isOver = true;
      for (const done of run.#waiting.values()) done({});
      return { code, signal };
    });
    const ready = new Promise((resolve) => {
      run.child.on('message', (message) => run.#take(message, resolve));
    });
    await Promise.race([ready, run.exit]);
    return run;
  }

  #take(message, ready) {
    if (message.ready) ready();
    else if (message.warning)
      warnings.set(message.warning.replace(/\d+/g, 'N'), (warnings.get(message.warning) ?? 0) + 1);
    else {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
  }

  ask(message) {
    const id = ++this.#next;
    return new Promise((resolve) => {
      if (this.isOver) resolve({});
      else {
        this.#waiting.set(id, resolve);
        this.child.send({ id, ...message }, (error) => error && resolve({}));
      }
    });
  }

  /** Sends all that a producer has until the service ends. */
  async feed(slot, mayBegin) {
    producers[slot].sendAgain();
    while (!this.isOver) {
      if (producers[slot].isDone && mayBegin) producers[slot] = newProducer();
      const producer = producers[slot];
      const lines = producer.next(Math.ceil(between(1, 60)), mayBegin);
      if (lines.length === 0) {
        if (!mayBegin && producer.next(1, false).length === 0 && (await this.#idle(producer))) return;
        await pause(3);
        continue;
      }
      const answer = this.ask({ lines }).then(({ acks = [], error }) => {
        for (const ack of acks) {
          note(ack);
          if (ack.producer === producer.id) producer.acknowledge(ack.seq);
        }
        if (error) producer.sendAgain();
      });
      if (random() < 0.3) await answer;
      else await pause(between(0, 4));
    }
  }

  async #idle(producer) {
    await pause(50);
    return producer.next(1, false).length === 0 && this.#waiting.size === 0;
  }
}

function note({ producer: id, seq }) {
  acknowledged.set(id, Math.max(acknowledged.get(id) ?? 0, seq));
}

/** Records a second and producer: more than it takes. */
const RATE = 1_500;
const command = new ServeCommand(mkdtempSync(join(tmpdir(), 'serve-')), { data: folder });
let commandKills = 0;
let commandAcks = 0;

/** One life of the real command. */
async function killCommand(round) {
  command.config = {
    journal: {
      fsync: round % 4 < 2 ? 'interval' : 'always',
      fsync_interval: '30ms',
      max_bytes: '1024GiB',
      history_bytes: '1024GiB',
    },
    clock: { settle: '1500ms', idle: '4s', person: '6s' },
    producer_grace: '6s',
    producer_silence: '6s',
    exporters: [{ name: 'sink', url }],
  };
  command.log = '';
  await command.start();
  let isOver = false;
  const feeds = [];
  const feeding = producers.map(async (_, slot) => {
    while (!isOver) {
      if (producers[slot].isDone) producers[slot] = newProducer();
      const feed = new SocketFeed(command.socket, producers[slot], RATE, (ack) => {
        commandAcks++;
        note(ack);
      });
      feeds[slot] = feed;
      await feed.running;
    }
  });
  sink.isAway = random() < 0.2;
  await pause(between(50, random() < 0.2 ? 3_500 : 1_200));
  sink.isAway = false;
  await command.kill();
  isOver = true;
  for (const feed of feeds) feed?.abandon();
  await Promise.all(feeding);
  commandKills++;
  for (const text of command.log.split('\n').filter((line) => line.startsWith('hermes-observer:'))) {
    const kind = text.replace(/\d+/g, 'N');
    warnings.set(kind, (warnings.get(kind) ?? 0) + 1);
  }
}

const began = performance.now();
for (let round = 0; round < kills; round++) {
  if (round % 2 === 1) {
    try {
      await killCommand(round);
    } catch (error) {
      check(`start ${round}`, false, error.message);
      break;
    }
    continue;
  }
  const run = await Run.start(round);
  if (run.isOver) {
    check(`start ${round}`, false, JSON.stringify(await run.exit));
    break;
  }
  const feeding = producers.map((_, slot) => run.feed(slot, true));
  sink.isAway = random() < 0.2;
  await pause(between(50, random() < 0.2 ? 3_500 : 1_200));
  sink.isAway = false;
  run.child.kill('SIGKILL');
  await run.exit;
  await Promise.all(feeding);
}

const last = await Run.start(0);
await Promise.all(producers.map((_, slot) => last.feed(slot, false)));
for (let quiet = false; !quiet && !last.isOver; ) {
  await pause(500);
  const { exporters = [], counts = [] } = await last.ask({ ask: 'state' });
  const value = (name) => counts.find((count) => count.name === name)?.value;
  quiet = exporters[0]?.waitingBytes === 0 && value('journal_lag_records') === 0 && value('open_traces') === 0;
  if (performance.now() - began > 3_600_000) break;
}
const { counts = [] } = await last.ask({ ask: 'state' });
void last.ask({ ask: 'stop' });
await last.exit;

const journal = await readJournal(join(folder, 'service', 'journal'));
let lost = 0;
let records = 0;
for (const [id, seq] of acknowledged) {
  records += seq;
  for (let n = 1; n <= seq; n++) if (!journal.records.has(`${id}/${n}`)) lost++;
}
const twice = [...journal.records.values()].filter((count) => count > 1).length;
const missing = [...journal.spans.keys()].filter((id) => !sink.versions.has(id));
const foreign = [...sink.versions.keys()].filter((id) => !journal.spans.has(id));
const other = [...journal.spans].filter(
  ([id, { digest }]) => sink.versions.has(id) && sink.versions.get(id) !== digest,
);
const seconds = ((performance.now() - began) / 1000).toFixed(0);
console.log(
  `${kills} kills in ${seconds} s, seed ${seed}: ${acknowledged.size} producers, ${records} records acknowledged, ` +
    `${journal.total} in the journal, ${journal.spans.size} spans, ${sink.taken} taken by the sink ` +
    `(${sink.taken - sink.versions.size} again), ${sink.refused} requests refused`,
);
for (const [text, count] of warnings) console.log(`     ${count} × ${text}`);
check(
  'the real command was killed too',
  commandKills === Math.floor(kills / 2) && (commandAcks > 0 || kills < 10),
  `${commandKills} of ${kills} times, ${commandAcks} acknowledgements over its socket`,
);
check('every acknowledged record is in the journal', lost === 0, `${lost} are not`);
check('no record is there twice', twice === 0, `${twice} are`);
check('every span of the journal is at the sink', missing.length === 0, `${missing.length} are not`);
check('no other span is there', foreign.length === 0, `${foreign.length} are`);
check('each span came in one version, that of a replay', other.length === 0, `${other.length} did not`);
for (const [id, { span }] of other.slice(0, 3)) console.log(id, JSON.stringify(span), sink.versions.get(id));
for (const id of missing.slice(0, 5)) console.log('missing', JSON.stringify(journal.spans.get(id).span).slice(0, 600));
const bad = counts.filter(({ name, value }) => /lost|faulty|unheld|unwritable|failures/.test(name) && value > 0);
check('nothing was counted as lost', bad.length === 0, JSON.stringify(bad));
sink.close();
rmSync(command.folder, { recursive: true, force: true });
if (failed === 0 && !values.keep) rmSync(folder, { recursive: true, force: true });
else console.log(folder);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

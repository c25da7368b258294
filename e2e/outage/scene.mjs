// One scenario: a service, producers that play recordings to it at a steady rate, and in the end an account of each record
// and of each span.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Producer, wholeRecordings } from '../kill/producers.mjs';
import { COMMAND, ServeCommand } from '../kill/serve-command.mjs';
import { SocketFeed } from '../kill/socket-feed.mjs';
import { spansOf } from '../kill/span-sink.mjs';
import { HttpFeed } from './http-feed.mjs';

const RECORDINGS = wholeRecordings();
/** A record that waits longer than this for its acknowledgement holds up an agent. */
export const LONGEST_ACK_MILLIS = 2_000;
const SOCKET_PRODUCERS = 4;

export const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** @throws Error when it does not come true in time. */
export async function until(what, isTrue, millis = 30_000) {
  const end = performance.now() + millis;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not in ${millis / 1000} s: ${what}`);
    await pause(50);
  }
}

export class Scene {
  feeds = [];
  #streams;
  #shift = 0;

  constructor(name, tally, random) {
    this.name = name;
    this.tally = tally;
    this.random = random;
    this.folder = mkdtempSync(join(tmpdir(), 'outage-'));
    this.#streams = join(this.folder, 'streams');
    mkdirSync(this.#streams);
  }

  /** @param options as of `ServeCommand` */
  async serve(options) {
    this.service = new ServeCommand(this.folder, options);
    await this.service.start();
    return this.service;
  }

  check(what, isGood, details) {
    this.tally.check(`${this.name}: ${what}`, isGood, details);
  }

  /** Producers begin. @param rate records a second of each */
  load(rate = 100) {
    for (let i = 0; i < SOCKET_PRODUCERS; i++) {
      this.feeds.push(new SocketFeed(this.service.socket, this.#producer(`s${i}`), rate));
    }
    this.feeds.push(new HttpFeed(this.service.url, this.#producer('h'), rate));
  }

  /** From now on the clock of the producers is this much ahead. */
  shiftClock(millis) {
    this.#shift = millis;
  }

  #producer(id) {
    const file = join(this.#streams, `${id}.ndjson`);
    writeFileSync(file, '');
    return new Producer(id, this.random, {
      recordings: RECORDINGS,
      life: Number.POSITIVE_INFINITY,
      clock: () => Date.now() + this.#shift,
      onLine: (line) => appendFileSync(file, `${line}\n`),
    });
  }

  get made() {
    return this.feeds.reduce((sum, { producer }) => sum + producer.made, 0);
  }

  get acknowledged() {
    return this.feeds.reduce((sum, { producer }) => sum + producer.acknowledged, 0);
  }

  get pauses() {
    return this.feeds.reduce((sum, { pauses }) => sum + pauses, 0);
  }

  get longestAck() {
    return Math.max(...this.feeds.map(({ longestAck }) => longestAck));
  }

  /** Producers play what they have begun to its end; all is acknowledged then. */
  async endLoad(millis = 60_000) {
    for (const feed of this.feeds) feed.finish();
    const all = Promise.all(this.feeds.map(({ running }) => running));
    let isOver = false;
    void all.then(() => {
      isOver = true;
    });
    await until('every record is acknowledged', () => isOver, millis);
  }

  checkNotHeldUp() {
    this.check(
      'no agent was held up',
      this.pauses === 0 && this.longestAck < LONGEST_ACK_MILLIS,
      `longest wait for an acknowledgement ${this.longestAck.toFixed(0)} ms, ${this.pauses} pauses`,
    );
  }

  /** Resolves when the service has nothing left to do. */
  async settled(millis = 60_000) {
    await until(
      'the service has sent all',
      async () => {
        const metrics = await this.service.metrics();
        return ['spool_spans', 'journal_lag_records', 'open_traces'].every((name) => metrics.value(name) === 0);
      },
      millis,
    );
  }

  /** Id → span, as a replay of what the producers sent makes them. */
  expected() {
    const output = join(this.folder, 'expected.jsonl');
    const files = this.feeds.map(({ producer: { id } }) => join(this.#streams, `${id}.ndjson`));
    const args = [COMMAND, 'replay', ...files, '--otlp-file', output];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
    if (status !== 0) throw new Error(`replay: ${stderr}`);
    const spans = readFileSync(output, 'utf8').trim().split('\n').flatMap(spansOf);
    return new Map(spans.map((span) => [`${span.traceId}/${span.spanId}`, span]));
  }

  /**
   * records made = acknowledged = taken; spans expected = at the sink + given up.
   * @param options.lost ids that may be missing. @param options.cut ids that may have lost their attributes
   * @param options.restarts with any, what was counted before is not in the counts
   */
  async account(sink, { lost = new Set(), cut = new Set(), restarts = 0 } = {}) {
    const expected = this.expected();
    const metrics = this.service.isRunning ? await this.service.metrics() : undefined;
    this.check(
      'every record that was sent is acknowledged',
      this.made === this.acknowledged,
      `${this.made} made, ${this.acknowledged} acknowledged`,
    );
    if (restarts === 0) {
      const [taken, missing] = ['records', 'missing_records'].map((name) => metrics.value(name));
      this.check('the service counts the same', taken === this.made && missing === 0, `${taken} taken`);
    }
    const missing = [...expected.keys()].filter((id) => !sink.versions.has(id) && !lost.has(id));
    const foreign = [...sink.versions.keys()].filter((id) => !expected.has(id));
    const other = [...expected].filter(
      ([id, span]) => sink.versions.has(id) && !cut.has(id) && sink.versions.get(id) !== sink.versionOf(span),
    );
    this.check(
      'every span of a replay arrived, no other, and each as it is there',
      missing.length + foreign.length + other.length === 0,
      `${expected.size} expected, ${sink.versions.size} arrived (${sink.taken - sink.versions.size} again), ` +
        `${missing.length} missing, ${foreign.length} foreign, ${other.length} different`,
    );
    for (const [id, span] of other.slice(0, 1)) console.log(sink.versions.get(id), '\n', sink.versionOf(span));
    if (metrics === undefined) return;
    const given = metrics.value('lost_spans') + metrics.value('unwritable_spans');
    const sum = expected.size - lost.size;
    this.check(
      'what was given up is counted',
      given === lost.size,
      `${given} counted, ${expected.size} expected = ${sum} arrived + ${lost.size} given up`,
    );
    if (restarts === 0) {
      const told = metrics.value('exported_spans', { exporter: 'sink' });
      this.check('what was sent is counted', told === sum, `${told} sent`);
    }
    const bad = metrics.matching(
      /^(faulty_records|lost_records|late_records|unheld_traces|checkpoint_failures|partial)/,
    );
    this.check('nothing else is counted as lost', bad.length === 0, JSON.stringify(bad));
  }

  async close(keep) {
    for (const feed of this.feeds) feed.abandon();
    if (this.service?.isRunning) await this.service.stop();
    if (keep) console.log(`kept: ${this.folder}`);
    else rmSync(this.folder, { recursive: true, force: true });
  }
}

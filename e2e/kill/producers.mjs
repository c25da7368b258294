// Producers that play recordings over and over, each time with ids of its own, and send again what was not acknowledged.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../conformance/recordings/0.22.2/', import.meta.url));
/** Some leave turns open, or end in the middle. */
const RECORDINGS = recordings([
  'c-parallel-tools',
  'l-delegate-batch-one-fails-sync',
  'm-background-delegation-one-child-tui',
  'n-delegate-nested-sync',
  'o-execute-code-nested-tools',
  'p6-clarify-human-input-tui',
  'p7-smart-approval-escalated-tui',
  'q-two-turns-then-close-and-new',
  'r-title-generation',
  'u-sigkill-mid-turn',
  'x6-api-server-delegation',
]);

export function recordings(names) {
  return names.map((name) =>
    readFileSync(`${folder}${name}.ndjson`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
}

/** At whose end nothing is open: the clock has nothing to decide. */
export const wholeRecordings = () =>
  recordings([
    'b-two-sequential-tools',
    'c2-parallel-tools-mixed-results',
    'e-tool-errors',
    'f-retry-after-429',
    'k-delegate-one-child-sync',
    'l-delegate-batch-one-fails-sync',
    'm-background-delegation-one-child-tui',
    'n-delegate-nested-sync',
    'o-execute-code-nested-tools',
    'p4-approval-session-then-repeat-tui',
    'q-two-turns-then-close-and-new',
    'x1-api-server-turns',
    'y1-gateway-turns-new-shutdown',
    'z1-mcp-tools-ok-error-timeout',
    'z12-subagent-timeout',
  ]);

const IDS = [
  'session_id',
  'child_session_id',
  'old_session_id',
  'new_session_id',
  'session_key',
  'parent_subagent_id',
  'parent_session_id',
  'turn_id',
  'parent_turn_id',
  'task_id',
  'child_subagent_id',
];
const LIFE = 1_500;
const WINDOW = 600;

export class Producer {
  /** Lines from the first one that is not acknowledged on. */
  #lines = [];
  #acknowledged = 0;
  #sent = 0;
  #seq = 0;
  #pass = 0;
  #pending = [];
  #recordings;
  #life;
  #clock;
  #onLine;

  /**
   * @param options.recordings which to play. @param options.life records of its life
   * @param options.clock time of day in milliseconds: records get the times of now. Without it they keep their own
   * @param options.onLine told of each line once, when it is first made
   */
  constructor(id, random, { recordings: played = RECORDINGS, life = LIFE, clock, onLine = () => {} } = {}) {
    this.id = id;
    this.random = random;
    this.#recordings = played;
    this.#life = life;
    this.#clock = clock;
    this.#onLine = onLine;
  }

  /** Begins nothing new any more. */
  finish() {
    this.#life = 0;
  }

  /** Records that were made so far. */
  get made() {
    return this.#seq;
  }

  get acknowledged() {
    return this.#acknowledged;
  }

  get isDone() {
    return this.#seq >= this.#life && this.#pending.length === 0 && this.#lines.length === 0;
  }

  /** The next lines to send, none while too many are not acknowledged. */
  next(count, mayBegin = true) {
    while (this.#sent + count > this.#lines.length && this.#lines.length < WINDOW) {
      if (this.#pending.length === 0) {
        if (!mayBegin || this.#seq >= this.#life) break;
        this.#pending = this.#play();
      }
      const record = { ...this.#pending.shift(), producer: this.id, seq: ++this.#seq };
      const line = JSON.stringify(record);
      this.#onLine(line);
      this.#lines.push(line);
    }
    const lines = this.#lines.slice(this.#sent, this.#sent + count);
    this.#sent += lines.length;
    return lines;
  }

  acknowledge(seq) {
    if (seq <= this.#acknowledged) return;
    const gone = seq - this.#acknowledged;
    this.#lines.splice(0, gone);
    this.#sent = Math.max(0, this.#sent - gone);
    this.#acknowledged = seq;
  }

  /** The connection was lost. */
  sendAgain() {
    this.#sent = 0;
  }

  #play() {
    const records = this.#recordings[Math.floor(this.random() * this.#recordings.length)];
    const mark = `${this.id}.${++this.#pass}`;
    const shift =
      this.#clock === undefined ? undefined : BigInt(this.#clock()) * 1_000_000n - BigInt(records[0].time_unix_nano);
    return records.map((record) => {
      const payload = { ...record.payload };
      for (const key of IDS) if (typeof payload[key] === 'string' && payload[key] !== '') payload[key] += mark;
      const time = shift === undefined ? record.time_unix_nano : String(BigInt(record.time_unix_nano) + shift);
      return { ...record, time_unix_nano: time, payload };
    });
  }
}

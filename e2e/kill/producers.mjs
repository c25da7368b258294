// Producers that play recordings over and over, each time with ids of its own, and send again what was not acknowledged.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../conformance/recordings/0.22.2/', import.meta.url));
const RECORDINGS = [
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
].map((name) =>
  readFileSync(`${folder}${name}.ndjson`, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line)),
);

const IDS = [
  'session_id',
  'child_session_id',
  'old_session_id',
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

  constructor(id, random) {
    this.id = id;
    this.random = random;
  }

  get acknowledged() {
    return this.#acknowledged;
  }

  get isDone() {
    return this.#seq >= LIFE && this.#pending.length === 0 && this.#lines.length === 0;
  }

  /** The next lines to send, none while too many are not acknowledged. */
  next(count, mayBegin = true) {
    while (this.#sent + count > this.#lines.length && this.#lines.length < WINDOW) {
      if (this.#pending.length === 0) {
        if (!mayBegin || this.#seq >= LIFE) break;
        this.#pending = this.#play();
      }
      const record = { ...this.#pending.shift(), producer: this.id, seq: ++this.#seq };
      this.#lines.push(JSON.stringify(record));
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
    const records = RECORDINGS[Math.floor(this.random() * RECORDINGS.length)];
    const mark = `${this.id}.${++this.#pass}`;
    return records.map((record) => {
      const payload = { ...record.payload };
      for (const key of IDS) if (typeof payload[key] === 'string' && payload[key] !== '') payload[key] += mark;
      return { ...record, payload };
    });
  }
}

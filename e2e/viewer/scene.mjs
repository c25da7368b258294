// A real `serve` with a folder of its own, what is sent to it, and pages that look at it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServeCommand, TOKEN } from '../kill/serve-command.mjs';

const RECORDINGS = fileURLToPath(new URL('../../conformance/recordings/0.22.2/', import.meta.url));
/** Real agents: three tools at once, a retry, a blocked call, approvals, children of each kind, an interrupt, two turns. */
export const SHOWN = [
  'd-tool-blocked-by-plugin',
  'c-parallel-tools',
  'f-retry-after-429',
  'p1-approval-once-tui',
  'p2-approval-deny-tui',
  'l-delegate-batch-one-fails-sync',
  'n-delegate-nested-sync',
  'm-background-delegation-one-child-tui',
  'j4-interrupt-during-api-call-tui',
  'h-provider-fallback',
  'q-two-turns-then-close-and-new',
  'z1-mcp-tools-ok-error-timeout',
];

/** Between the recordings, ms. */
const APART = 4 * 60_000;

export const pause = (millis) => new Promise((resolve) => setTimeout(resolve, millis));

/** What `ask` gives once it is neither undefined nor false. */
export async function eventually(what, ask, millis = 10_000) {
  const end = performance.now() + millis;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`${what}: not within ${millis} ms`);
    await pause(25);
  }
}

const linesOf = (name) =>
  readFileSync(join(RECORDINGS, `${name}.ndjson`), 'utf8')
    .trim()
    .split('\n');

/** A recording as if it began at `start` (Unix ms); with a `label`, of another producer and in another session. */
export function retimed(name, { start, label }) {
  const lines = linesOf(name);
  const records = lines.map((line) => JSON.parse(line));
  const shift = BigInt(Math.round(start)) * 1_000_000n - BigInt(records[0].time_unix_nano);
  const session = records.find(({ payload }) => payload.session_id !== undefined).payload.session_id;
  const producer = records[0].producer;
  const renamed = (line) =>
    label === undefined
      ? line
      : line.replaceAll(session, `${session}-${label}`).replaceAll(producer, `${producer}-${label}`);
  return lines.map((line) => {
    const record = JSON.parse(renamed(line));
    record.time_unix_nano = String(BigInt(record.time_unix_nano) + shift);
    return JSON.stringify(record);
  });
}

/** The same lines with the time of now. */
export const asOfNow = (lines) =>
  lines.map((line) => JSON.stringify({ ...JSON.parse(line), time_unix_nano: String(BigInt(Date.now()) * 1_000_000n) }));

export class Scene {
  static async open(options = {}) {
    const scene = new Scene();
    scene.folder = mkdtempSync(join(tmpdir(), 'ho-view-'));
    scene.serve = await new ServeCommand(scene.folder, {
      ...options,
      env: { HERMES_OBSERVER_CAPTURE: 'full', ...options.env },
    }).start();
    return scene;
  }

  get url() {
    return this.serve.url;
  }

  /** Sends hook records. @throws Error unless all are taken */
  async send(lines) {
    const answer = await this.post('/v1/records', `${lines.join('\n')}\n`, 'application/x-ndjson');
    if (!answer.ok) throw new Error(`records: ${answer.status} ${await answer.text()}`);
  }

  post(path, body, type = 'application/json', headers = {}) {
    return fetch(`${this.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': type, ...headers },
      body,
      signal: AbortSignal.timeout(20_000),
    });
  }

  async api(path) {
    const answer = await this.serve.get(path);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return answer.json();
  }

  /** All rows of the list, by pages. */
  async rows(query = '') {
    const rows = [];
    for (let before = ''; ; ) {
      const page = await this.api(`/api/turns?limit=1000${query}${before}`);
      rows.push(...page.rows);
      if (page.next === null) return rows;
      before = `&before=${encodeURIComponent(page.next)}`;
    }
  }

  /** The recordings of `SHOWN`, the first as the latest, and waits until all of their turns are in the list. */
  async showRecordings() {
    for (const [index, name] of SHOWN.entries())
      await this.send(retimed(name, { start: Date.now() - (index + 1) * APART }));
    let before = -1;
    await eventually('the recordings are in the list', async () => {
      const { total } = await this.api('/api/turns?limit=1');
      const isQuiet = total === before && total >= SHOWN.length;
      before = total;
      await pause(150);
      return isQuiet;
    });
  }

  /** A page that has the cookie. `faults` has what it threw, logged as an error, or was refused by its policy. */
  async look(browser, { width = 1280, colorScheme = 'light', ...more } = {}) {
    const height = width < 600 ? 740 : 800;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...more });
    const page = await context.newPage();
    const faults = [];
    page.on('pageerror', (error) => faults.push(error.stack ?? error.message));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    // Some refusals reach no console. A page that is left cannot say more, which is no fault.
    await page.addInitScript(() => {
      globalThis.refused = [];
      addEventListener('securitypolicyviolation', (event) => {
        globalThis.refused.push(`${event.violatedDirective}: ${event.blockedURI}`);
      });
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(this.url) && !request.url().startsWith('data:'))
        faults.push(`asks for ${request.url()}`);
    });
    await page.goto(`${this.url}/?token=${TOKEN}`);
    return { page, faults, close: () => context.close() };
  }

  async close() {
    await this.serve.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

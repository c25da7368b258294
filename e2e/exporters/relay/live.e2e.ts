import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { waitFor } from '../../jaeger/wait-for.js';
import { ServeCommand, TOKEN } from '../../kill/serve-command.mjs';
import { TOP } from '../../run-command.js';
import { skipWith } from '../../skip-with.js';
import { documentsIn, faultsOf as faultsOfDocuments } from './documents.js';
import { type Event, eventsIn, faultsOf as faultsOfEvents } from './events.js';
import { runPython } from './oracles.mjs';
import { replay } from './replay.js';

const recordings = join(TOP, 'conformance/recordings/0.22.2');
const NAMES = ['n-delegate-nested-sync', 'p1-approval-once-tui', 'q-two-turns-then-close-and-new'];
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Sends records of a recording, some at a time. */
async function send(serve: ServeCommand, lines: readonly string[]): Promise<void> {
  const response = await fetch(`${serve.url}/v1/records`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
  expect(response.status).toBe(200);
}

/** What a service and a replay need not agree in: what they call the machine, and how a document was batched. */
const withoutPlace = (events: Event[]) => events.map((event) => JSON.stringify(event)).sort();

for (const capture of ['none', 'full'] as const) {
  it(`serve writes what a replay writes, killed in the middle of each turn; capture: ${capture}`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'rl-'));
    folders.push(folder);
    mkdirSync(join(folder, 'run'), { mode: 0o700 });
    const file = join(folder, 'live.jsonl');
    const turns = join(folder, 'turns');
    const sessions = join(folder, 'sessions');
    const serve = new ServeCommand(folder, {
      config: {
        capture,
        exporters: [
          { name: 'events', kind: 'atof', file },
          { name: 'turns', kind: 'atif', folder: turns },
          { name: 'sessions', kind: 'atif', folder: sessions, trajectory: 'session', subagents: 'files' },
        ],
      },
    });
    await serve.start();
    try {
      for (const name of NAMES) {
        const lines = readFileSync(join(recordings, `${name}.ndjson`), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          // The greeting says how much content a producer sends; this one sends all.
          .filter((line) => !line.includes('"hook":"observer_hello"'));
        const step = Math.ceil(lines.length / 4);
        for (let i = 0; i < lines.length; i += step) {
          await send(serve, lines.slice(i, i + step));
          if (i === step) {
            // So that some of the turn is in the files, and the end of it is not.
            await new Promise((resolve) => setTimeout(resolve, 300));
            await serve.kill();
            if (name === NAMES[0]) writeFileSync(file, `${read(file)}{"kind":"scope","torn`);
            await serve.start();
          }
        }
      }
      const replayed = join(folder, 'replayed');
      let expected: Event[] = [];
      for (const name of NAMES) {
        await replay(join(recordings, `${name}.ndjson`), join(replayed, name), capture);
        expected = [...expected, ...eventsIn(join(replayed, name, 'events.jsonl'))];
      }
      await waitFor(
        'not all is written',
        async () => eventsOrNone(file).length >= expected.length || undefined,
        30_000,
      );
      const events = eventsIn(file);
      expect(faultsOfEvents(events)).toEqual([]);
      expect(withoutPlace(events)).toEqual(withoutPlace(expected));
      for (const [written, layout] of [
        [turns, 'turn-embedded'],
        [sessions, 'session-files'],
      ] as const) {
        const wanted = new Map(NAMES.flatMap((name) => [...documentsIn(join(replayed, name, layout))]));
        await waitFor(
          `not all documents are in ${layout}`,
          async () => JSON.stringify(sorted(documentsIn(written))) === JSON.stringify(sorted(wanted)) || undefined,
          10_000,
        ).catch(() => undefined);
        expect(sorted(documentsIn(written))).toEqual(sorted(wanted));
        expect(faultsOfDocuments(documentsIn(written))).toEqual([]);
        expect(readdirSync(written).filter((name) => !name.endsWith('.json'))).toEqual([]);
      }
    } finally {
      await serve.kill();
    }
    rmSync(join(folder, 'replayed'), { recursive: true, force: true });
    rmSync(join(folder, 'data'), { recursive: true, force: true });
    if (process.env.RELAY_ORACLES_MISSING) skipWith(context, process.env.RELAY_ORACLES_MISSING);
    const checked = JSON.parse(runPython('check-files.py', folder)) as { faults: string[]; runs: number };
    expect(checked.faults).toEqual([]);
    expect(checked.runs).toBeGreaterThan(NAMES.length);
  }, 120_000);
}

const read = (path: string) => readFileSync(path, 'utf8');

function eventsOrNone(path: string): Event[] {
  try {
    return eventsIn(path);
  } catch {
    return [];
  }
}

const sorted = <T>(documents: ReadonlyMap<string, T>) => [...documents].sort(([a], [b]) => (a < b ? -1 : 1));

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { semconv } from '@hermes-observer/otel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand, TOP } from '../../run-command.js';
import { skipWith } from '../../skip-with.js';
import { documentsIn, faultsOf as faultsOfDocuments, sumsOf, sumsOfSpans } from './documents.js';
import { eventsIn, faultsOf as faultsOfEvents } from './events.js';
import { runPython } from './oracles.mjs';
import { LAYOUTS, replay } from './replay.js';

const recordings = join(TOP, 'conformance/recordings');
const names = readdirSync(recordings, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ndjson'))
  .sort();
/** Spans of one export. What is written must not depend on it. */
const BATCHES = process.env.RELAY_FULL === '1' ? [1, 3, 512] : [3];

interface Checked {
  readonly atof_files: number;
  readonly events: number;
  readonly runs: number;
  readonly atif_files: number;
  readonly faults: readonly string[];
}

/** Texts of the user, of models and of tools: what content off keeps in. */
function contentOf(spans: Awaited<ReturnType<typeof replay>>): Set<string> {
  const texts = new Set<string>();
  for (const { attributes } of spans) {
    for (const name of [semconv.ATTR_GEN_AI_INPUT_MESSAGES, semconv.ATTR_GEN_AI_OUTPUT_MESSAGES]) {
      const json = attributes[name];
      if (typeof json !== 'string') continue;
      for (const [, text = ''] of json.matchAll(/"content":"([^"\\]{24,80})/g)) texts.add(text);
    }
    const command = attributes[semconv.ATTR_GEN_AI_TOOL_CALL_ARGUMENTS];
    for (const [, text = ''] of String(command ?? '').matchAll(/:"([^"\\]{16,80})/g)) texts.add(text);
  }
  return texts;
}

const WAYS = (['none', 'full'] as const).flatMap((capture) => BATCHES.map((batch) => ({ capture, batch })));

describe.each(WAYS)('recordings with capture $capture, $batch spans at once', ({ capture, batch }) => {
  const folder = mkdtempSync(join(tmpdir(), `relay-${capture}-${batch}-`));
  const at = (name: string) => join(folder, name.replace(/\.ndjson$/, '').replaceAll('/', '-'));
  const faults: string[] = [];

  beforeAll(async () => {
    for (const name of names) {
      const spans = await replay(join(recordings, name), at(name), capture, batch);
      const say = (list: readonly string[]) => faults.push(...list.map((fault) => `${name}: ${fault}`));
      const events = eventsIn(join(at(name), 'events.jsonl'));
      say(faultsOfEvents(events));
      const scopes = events.filter(({ scope_category }) => scope_category === 'end').length;
      const waits = spans.filter(({ name: span }) => /^(approval|human_input)/.test(span)).length;
      if (scopes !== spans.length - waits) say([`${scopes} scopes of ${spans.length} spans, ${waits} of them waits`]);
      for (const layout of LAYOUTS) {
        const documents = documentsIn(join(at(name), layout.name));
        say(faultsOfDocuments(documents).map((fault) => `${layout.name}: ${fault}`));
        const [told, made] = [sumsOf(documents), sumsOfSpans(spans)];
        if (JSON.stringify(told) !== JSON.stringify(made)) {
          say([`${layout.name} tells of ${JSON.stringify(told)}, made was ${JSON.stringify(made)}`]);
        }
      }
    }
  }, 300_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('pairs, parents, order, references and sums are right', () => {
    expect(faults).toEqual([]);
  });

  it('the readers, the converter and the validators of others take all of it', (context) => {
    if (process.env.RELAY_ORACLES_MISSING) skipWith(context, process.env.RELAY_ORACLES_MISSING);
    const checked = JSON.parse(runPython('check-files.py', folder)) as Checked;
    console.log(
      `${names.length} recordings: ${checked.events} events in ${checked.atof_files} files, ${checked.runs} runs converted, ${checked.atif_files} trajectories`,
    );
    expect(checked.faults).toEqual([]);
    expect(checked.atof_files).toBe(names.length);
    expect(checked.runs).toBeGreaterThan(names.length);
    expect(checked.atif_files).toBeGreaterThan(names.length * 4);
  }, 300_000);

  it('the same recording gives the same bytes, and those of the command', async () => {
    const [name = ''] = names.filter((one) => /delegate-nested/.test(one));
    const out = join(folder, 'again');
    const files = (path: string) =>
      readdirSync(path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]);
    await replay(join(recordings, name), out, capture, 17);
    expect(new Map(files(out).map(([path, text]) => [path, text]))).toEqual(new Map(files(at(name)) as never));
    const command = join(TOP, 'packages/cli/bin/hermes-observer.js');
    const made = join(folder, 'command');
    for (const [format, output] of [
      ['atof', `${made}.jsonl`],
      ['atif', made],
    ] as const) {
      const args = ['replay', join(recordings, name), '--capture', capture, '--format', format, '--output', output];
      const { code, stderr } = await runCommand(process.execPath, [command, ...args]);
      expect(code, stderr).toBe(0);
    }
    const withoutHost = (text: string) => text.replaceAll(/"(service|host)\.name":"[^"]*",?/g, '');
    expect(withoutHost(readFileSync(`${made}.jsonl`, 'utf8'))).toBe(
      withoutHost(readFileSync(join(at(name), 'events.jsonl'), 'utf8')),
    );
    expect([...documentsIn(made)]).toEqual([...documentsIn(join(at(name), 'turn-embedded'))]);
    rmSync(out, { recursive: true });
    rmSync(made, { recursive: true });
    rmSync(`${made}.jsonl`);
  });
});

it('with content off nothing of the content is in any file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-content-'));
  const leaks: string[] = [];
  let looked = 0;
  for (const name of names.filter((_, i) => i % 3 === 0)) {
    const spans = await replay(join(recordings, name), join(folder, 'full'), 'full');
    await replay(join(recordings, name), join(folder, basename(name)), 'none');
    const texts = readdirSync(join(folder, basename(name)), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
      .join('\n');
    for (const content of contentOf(spans)) {
      looked++;
      if (texts.includes(content)) leaks.push(`${name}: ${content}`);
    }
    rmSync(join(folder, 'full'), { recursive: true });
  }
  rmSync(folder, { recursive: true });
  expect(leaks).toEqual([]);
  expect(looked).toBeGreaterThan(100);
}, 120_000);

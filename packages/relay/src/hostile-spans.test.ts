import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copySpan, type ReadableSpan } from '@hermes-observer/otel';
import { afterAll, describe, expect, it } from 'vitest';
import { AtifExporter } from './atif/atif-exporter.js';
import type { Trajectory } from './atif/trajectory.js';
import { AtofExporter } from './atof/atof-exporter.js';
import { spansOf, turn } from './spans/hooks.test-support.js';
import { factsOf, type SpanFacts } from './spans/span-facts.js';

const top = mkdtempSync(join(tmpdir(), 'hostile-'));
afterAll(() => rmSync(top, { recursive: true }));
let number = 0;
const place = () => join(top, String(number++));

const turnOf = (id: string) => spansOf((emit) => turn(emit, { session_id: id, turn_id: id }), { capture: 'full' });

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const deepContent = (levels: number) => ({
  'gen_ai.tool.call.arguments': `{"a":${deep(levels)}}`,
  'gen_ai.tool.call.result': deep(levels),
  'gen_ai.output.messages': `[{"role":"assistant","parts":[{"type":"tool_call","id":"c-1","name":"x","arguments":${deep(levels)}},{"type":"text","content":${deep(levels)}}]}]`,
});
const cycle: Record<string, unknown> = {};
cycle.self = cycle;

type Change = (span: ReadableSpan) => Partial<ReadableSpan>;
const withAttributes =
  (attributes: object): Change =>
  (span) => ({
    attributes: { ...span.attributes, ...attributes },
  });

/** What each span of a turn has instead; all of it must be written all the same. */
const HOSTILE: Record<string, Change> = {
  'times that are no numbers': () => ({ startTime: [Number.NaN, 0], endTime: [Number.NaN, Number.NaN] }),
  'times without end': () => ({ startTime: [1e15, 0], endTime: [Number.POSITIVE_INFINITY, 0] }),
  'negative times': () => ({ startTime: [-1e14, -5], endTime: [-1e14, -5] }),
  'years of five digits': () => ({ startTime: [4e11, 0], endTime: [4e11, 0] }),
  'ends before starts': ({ startTime, endTime }) => ({ startTime: endTime, endTime: startTime }),
  'values of 100000 levels': withAttributes(deepContent(100_000)),
  'values of 300 levels': withAttributes(deepContent(300)),
  'numbers that are none': withAttributes({
    'gen_ai.usage.input_tokens': 1e308,
    'gen_ai.usage.output_tokens': 1.5,
    'hermes.cost.usd': Number.POSITIVE_INFINITY,
    'hermes.x': Number.NaN,
  }),
  'big integers, cycles and functions': withAttributes({ 'hermes.x': 10n, 'hermes.y': cycle, 'hermes.z': () => 1 }),
  'names of prototypes': withAttributes({
    ...JSON.parse('{"__proto__":["a"],"constructor":"x","hasOwnProperty":"y"}'),
    'hermes.api.mode': 'constructor',
  }),
  'ids that are none': () => ({ spanContext: () => ({ traceId: '../../x', spanId: '"}\n{', traceFlags: 1 }) }),
  'events of no time': () => ({ events: [{ name: 'hermes.x', time: [Number.NaN, 0], attributes: { a: 'b' } }] }),
  '10000 attributes': withAttributes(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`a${i}`, i]))),
};

/** One that neither Python's parsers nor pydantic's refuse. */
function expectReadable(value: unknown, levels = 150): void {
  if (typeof value !== 'object' || value === null) return;
  expect(levels).toBeGreaterThan(0);
  for (const [name, item] of Object.entries(value)) {
    if (name === 'timestamp') expect(item).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    if (/^(total_)?(prompt|completion|cached)_tokens$/.test(name)) expect(Number.isSafeInteger(item)).toBe(true);
    if (/cost_usd$/.test(name)) expect(Number.isFinite(item)).toBe(true);
    expectReadable(item, levels - 1);
  }
}

const exported = (exporter: AtofExporter | AtifExporter, spans: readonly ReadableSpan[]) =>
  spans.map((span) => {
    let code = -1;
    exporter.export([span], (result) => {
      code = result.code;
    });
    return code;
  });

describe.each(Object.entries(HOSTILE))('spans with %s', (_, change) => {
  const spans = [...turnOf('a'), ...turnOf('b').map((span) => copySpan(span, change(span))), ...turnOf('c')];

  it('are lines of ATOF', async () => {
    const path = place();
    const exporter = new AtofExporter({ path });
    expect(exported(exporter, spans)).toEqual(spans.map(() => 0));
    await exporter.shutdown();
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(18);
    for (const line of lines) expectReadable(JSON.parse(line));
    expect(exporter.lostSpans).toBe(0);
  });

  it('are a document of ATIF, and others are too', async () => {
    const folder = place();
    const exporter = new AtifExporter({ folder });
    expect(exported(exporter, spans)).toEqual(spans.map(() => 0));
    await exporter.shutdown();
    const documents = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
    expect(documents.map(({ session_id }) => session_id)).toEqual(expect.arrayContaining(['a', 'c']));
    for (const document of documents) expectReadable(document);
    expect(exporter.lostSpans).toBe(0);
  });
});

describe('what cannot be written', () => {
  const bad = turnOf('b')
    .map(factsOf)
    .map((span): SpanFacts => ({ ...span, attributes: { ...span.attributes, 'hermes.x': 10n } }));

  it('is counted, and keeps no later document of ATIF from being written', () => {
    const folder = place();
    const exporter = new AtifExporter({ folder });
    for (const span of bad.slice(0, -1)) exporter.take([span]);
    expect(() => exporter.take(bad.slice(-1))).toThrow('cannot be written as ATIF');
    expect(exporter.lostSpans).toBe(bad.length);
    exporter.take(turnOf('c').map(factsOf));
    expect(readdirSync(folder)).toHaveLength(1);
    expect(exporter.lostSpans).toBe(bad.length);
  });

  it('has an id that is none: counted by ATIF', () => {
    const exporter = new AtifExporter({ folder: place() });
    const [span] = turnOf('a').map(factsOf) as [SpanFacts];
    expect(() => exporter.take([{ ...span, traceId: 'none' }])).toThrow('cannot be written as ATIF');
    expect(exporter.lostSpans).toBe(1);
  });

  it('is below itself: counted when its trace is given up', () => {
    let now = 0;
    const exporter = new AtifExporter({ folder: place(), lateMillis: 1, now: () => now });
    const [chat, tool] = turnOf('a').map(factsOf) as [SpanFacts, SpanFacts];
    exporter.take([
      { ...chat, parentId: tool.spanId },
      { ...tool, parentId: chat.spanId },
    ]);
    now = 10;
    expect(() => exporter.take(turnOf('c').map(factsOf))).toThrow('cannot be written as ATIF');
    expect(exporter.lostSpans).toBe(2);
  });

  it('is a turn below its own tool: written once', () => {
    const folder = place();
    const [chat, tool, last, root] = turnOf('a').map(factsOf) as [SpanFacts, SpanFacts, SpanFacts, SpanFacts];
    new AtifExporter({ folder }).take([chat, tool, last, { ...root, parentId: tool.spanId }]);
    const [name = ''] = readdirSync(folder);
    const { steps } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Trajectory;
    expect(steps.filter(({ llm_call_count }) => llm_call_count === 1)).toHaveLength(2);
  });

  it('is an agent too deep below others: the document says so', () => {
    const folder = place();
    const root = turnOf('a').map(factsOf).at(-1) as SpanFacts;
    const { 'hermes.turn.kind': _, ...attributes } = root.attributes;
    const agents = Array.from({ length: 40 }, (_item, i): SpanFacts => {
      const spanId = (i + 1).toString(16).padStart(16, '0');
      const parentId = i === 0 ? root.spanId : i.toString(16).padStart(16, '0');
      return { ...root, attributes, spanId, parentId };
    });
    new AtifExporter({ folder }).take([...agents, root]);
    const text = readFileSync(join(folder, readdirSync(folder)[0] as string), 'utf8');
    expect(text.match(/"left_out_subagents":1/g)).toHaveLength(1);
    expectReadable(JSON.parse(text));
  });
});

it('a disk that takes nothing does not make ATIF keep more than it may', () => {
  const folder = place();
  const turns = Array.from({ length: 30 }, (_, i) =>
    turnOf(`s${i}`).map((span) =>
      copySpan(span, { events: [{ name: 'x', time: span.endTime, attributes: { text: 'x'.repeat(50_000) } }] }),
    ),
  );
  exported(new AtifExporter({ folder }), turns.flat());
  for (const name of readdirSync(folder)) {
    // A folder in the place of each file.
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
  }
  const exporter = new AtifExporter({ folder, maxBytes: 2 ** 20 });
  const results = turns.map((spans) => exported(exporter, spans));
  expect(results.at(-1)).toContain(1);
  rmSync(folder, { recursive: true });
  exporter.take(turnOf('last').map(factsOf));
  // Each turn takes about 400 KB: no more than some were there still.
  expect(readdirSync(folder).length).toBeLessThan(5);
  expect(exporter.lostSpans).toBeGreaterThanOrEqual(25 * 4);
});

it('a folder that somebody deletes, or puts a file in the place of, is made again by ATIF', () => {
  const folder = place();
  const exporter = new AtifExporter({ folder });
  exported(exporter, turnOf('a'));
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'no folder');
  expect(exported(exporter, turnOf('b'))).toContain(1);
  rmSync(folder);
  expect(exported(exporter, turnOf('c'))).not.toContain(1);
  // What was not taken before is written too.
  expect(readdirSync(folder)).toHaveLength(2);
});

it('a line that a crash cut short goes, however long it is', async () => {
  const path = place();
  const first = new AtofExporter({ path });
  first.take(turnOf('a').map(factsOf));
  await first.shutdown();
  const whole = readFileSync(path, 'utf8');
  appendFileSync(path, `{"uuid":"${'x'.repeat(17 * 1024 * 1024)}`);
  const second = new AtofExporter({ path });
  second.take([...turnOf('a'), ...turnOf('b')].map(factsOf));
  await second.shutdown();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(2 * whole.trimEnd().split('\n').length);
  for (const line of lines) JSON.parse(line);
});

it('a file of ATOF that somebody deletes is made again', () => {
  const path = place();
  const exporter = new AtofExporter({ path });
  exporter.take(turnOf('a').map(factsOf));
  rmSync(path);
  exporter.take(turnOf('b').map(factsOf));
  expect(readFileSync(path, 'utf8').trimEnd().split('\n').length).toBeGreaterThan(4);
});

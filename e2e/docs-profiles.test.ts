import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JSON_ENCODING, TraceRequests } from '@hermes-observer/otel';
import {
  GENAI_ROWS,
  langfuseProfile,
  type MappingRow,
  openInferenceProfile,
  profilesOf,
  SpanMapper,
} from '@hermes-observer/profiles';
import { expect, it } from 'vitest';
import { type Observation, observationsOf, tracesOf } from './exporters/langfuse/langfuse-display.js';
import { recordedSpans } from './exporters/recorded-spans.js';
import { TOP } from './run-command.js';

// `npm run docs` writes the tables anew.

const PAGE = join(TOP, 'docs/profiles.md');
const SPANS: Readonly<Record<string, string>> = {
  agent: 'turns and child agents',
  chat: 'requests',
  tool: 'tools',
  approval: 'approvals',
  human_input: 'human input',
  operation: 'further operations of GenAI',
  other: 'spans of others',
};
const OURS = Object.keys(SPANS).filter((role) => role !== 'other');

const onText = (on: readonly string[]) => {
  if (OURS.every((role) => on.includes(role))) return on.includes('other') ? 'all, spans of others too' : 'all';
  return on.map((role) => SPANS[role]).join(', ');
};

function rowsTable(rows: readonly Pick<MappingRow, 'name' | 'type' | 'on' | 'from' | 'moves'>[]): string {
  const lines = rows.map(({ name, type, on, from }) => `| \`${name}\` | ${type} | ${onText(on)} | ${from} |`);
  return ['| name | type | on | made of |', '| --- | --- | --- | --- |', ...lines].join('\n');
}

const langfuseRows = langfuseProfile({ metadata: { '{name}': '' } }).rows;
const openInference = openInferenceProfile();

/** A turn in which a person denied a command. */
function shown(): Observation[] {
  const mapper = new SpanMapper(
    profilesOf([langfuseProfile({ environment: 'production', release: '1.4.0', tags: ['support'], userId: 'u-17' })]),
  );
  const spans = recordedSpans('0.22.2/p2-approval-deny-tui', 'redacted').map((span) => mapper.map(span));
  const requests = [...new TraceRequests(JSON_ENCODING, 100_000_000).of(spans)];
  return observationsOf(
    requests.flatMap(
      ({ body }) => (JSON.parse(Buffer.from(body).toString()) as { resourceSpans: unknown[] }).resourceSpans,
    ),
  );
}

const LONGEST = 120;

/** A value in a cell of a table. */
function cell(value: unknown): string {
  const plain = value instanceof Set ? [...value].join(', ') : value;
  if (plain === undefined || (typeof plain === 'object' && Object.keys(plain as object).length === 0)) return '';
  const text = typeof plain === 'string' ? plain : JSON.stringify(plain);
  const cut = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return `\`${cut.replaceAll('|', '\\|').replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``;
}

/** What Langfuse reads for a field, of what spans have under its names. */
const FROM: Readonly<Record<string, string>> = {
  id: 'span id',
  traceId: 'trace id',
  parentId: 'parent span id',
  name: '`gen_ai.tool.name`, else the name of the span',
  type: '`langfuse.observation.type`',
  startTime: 'start',
  endTime: 'end',
  completionStartTime: '`langfuse.observation.completion_start_time`',
  level: '`langfuse.observation.level`',
  statusMessage: '`langfuse.observation.status_message`',
  model: '`langfuse.observation.model.name`',
  modelParameters: '`langfuse.observation.model.parameters`',
  usage: '`langfuse.observation.usage_details`',
  cost: '`langfuse.observation.cost_details`, else its own prices',
  input: '`langfuse.observation.input`',
  output: '`langfuse.observation.output`',
  environment: '`langfuse.environment`, else of the resource',
  version: '`langfuse.version`, else of the resource',
  release: '`langfuse.release`',
  sessionId: '`session.id`',
  userId: '`user.id`',
  tags: '`langfuse.trace.tags`',
  traceName: '`langfuse.trace.name`',
};

function displayTables(): string {
  const observations = shown();
  const [trace] = tracesOf(observations).values();
  const traceRows = Object.entries(trace ?? {}).map(([field, value]) => `| ${field} | ${cell(value)} |`);
  const columns = ['agent', 'generation', 'tool', 'guardrail'].map((type) =>
    observations.find((one) => one.type === type),
  );
  const fields = Object.keys(columns[0] ?? {}).filter((field) => field !== 'metadata') as (keyof Observation)[];
  const notes = new Set(columns.flatMap((one) => Object.keys(one?.metadata ?? {})));
  notes.delete('attributes');
  const from = (field: string) => FROM[field] ?? '';
  return [
    '| trace | |',
    '| --- | --- |',
    ...traceRows,
    '',
    '| observation | taken from | turn | request | tool | approval |',
    '| --- | --- | --- | --- | --- | --- |',
    ...fields.map((field) => `| ${field} | ${from(field)} | ${columns.map((one) => cell(one?.[field])).join(' | ')} |`),
    ...[...notes].map(
      (note) =>
        `| metadata.${note} | \`langfuse.observation.metadata.${note}\` | ${columns.map((one) => cell(one?.metadata[note])).join(' | ')} |`,
    ),
  ].join('\n');
}

it('docs/profiles.md has the rows of the profiles, and what Langfuse shows', () => {
  const page = readFileSync(PAGE, 'utf8');
  const tables: Readonly<Record<string, string>> = {
    genai: rowsTable(GENAI_ROWS),
    openinference: rowsTable([...openInference.rows, ...(openInference.listRows ?? [])]),
    langfuse: rowsTable(langfuseRows),
    'langfuse-display': displayTables(),
  };
  let wanted = page;
  for (const [name, table] of Object.entries(tables)) {
    const marks = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
    expect(page).toMatch(marks);
    wanted = wanted.replace(marks, (_, begin, end) => `${begin}${table}\n${end}`);
  }
  expect(wanted).toContain('| `langfuse.observation.usage_details` |');
  expect(Object.keys(FROM)).toEqual(Object.keys(shown()[0] ?? {}).filter((field) => field !== 'metadata'));
  if (process.env.UPDATE_DOCS === '1') writeFileSync(PAGE, wanted);
  else expect(page).toBe(wanted);
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OtlpTraces } from '../jaeger/otlp-json.js';
import { type SpanFacts, spanFacts } from '../jaeger/span-facts.js';
import { Stack } from '../jaeger/stack.js';
import { waitFor } from '../jaeger/wait-for.js';
import { runNode, TOP } from '../run-command.js';
import { Agent, sandboxFault } from './agent.js';
import { RELEASES, SHORT } from './scenarios.js';
import { LiveService } from './service.js';
import { treeShape } from './tree-shape.js';

const COMMAND = 'packages/cli/bin/hermes-observer.js';
const isFull = process.env.E2E_FULL === '1';
/** Two plugins see one call one after the other, and a busy machine may let the second one wait. */
const MOST_APART = 500_000_000n;

const fault = await sandboxFault();
if (fault !== undefined) console.log(`skipped: ${fault}`);

let shared: string;
let stack: Stack;
let service: LiveService;

beforeAll(async () => {
  // Short: the path of a socket has room for 107 bytes.
  shared = mkdtempSync(join(tmpdir(), 'live-'));
  stack = await Stack.start(process.env.E2E_PROGRAMS ?? '');
  service = await LiveService.start(shared, stack.endpoint);
});
afterAll(async () => {
  await service?.stop();
  await stack?.stop();
  if (shared !== undefined) rmSync(shared, { recursive: true, force: true });
});

/** The spans that a replay makes of what the recording plugin saw beside ours. */
async function replayed(scenario: string): Promise<SpanFacts[]> {
  const out = join(shared, `${scenario}.jsonl`);
  const { code, stderr } = await runNode([COMMAND, 'replay', join(shared, `${scenario}.ndjson`), '--otlp-file', out]);
  if (code !== 0) throw new Error(stderr);
  const lines = readFileSync(out, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((line) => spanFacts(JSON.parse(line) as OtlpTraces));
}

/** The same spans as Jaeger has them, once it has as many. */
async function shown(spans: readonly SpanFacts[]): Promise<SpanFacts[]> {
  const ids = [...new Set(spans.map(({ traceId }) => traceId))];
  const read = async () => (await Promise.all(ids.map((id) => stack.jaeger.trace(id)))).flat();
  try {
    await waitFor('not all spans are in Jaeger', async () =>
      (await read()).length >= spans.length ? true : undefined,
    );
  } catch (error) {
    throw new Error(`${String(error)}\n${service.log.slice(-2000)}`);
  }
  return read();
}

/** What may not depend on which of two plugins saw a call: all but its times to the last digit, and who recorded it. */
function facts(span: SpanFacts) {
  const { start, end, flags, events, resource, ...rest } = span;
  // The recording plugin does not know its profile.
  const { 'hermes.profile': _, ...own } = rest.attributes;
  const attributes: Record<string, string> = own;
  for (const key of ['hermes.producer', 'hermes.api.attempt.duration_ms', 'gen_ai.response.time_to_first_chunk']) {
    if (attributes[key] !== undefined) attributes[key] = 'there';
  }
  // A replay ends where the recording ends; live, the agent is found gone.
  if (attributes['hermes.incomplete.reason'] === '"shutdown"')
    attributes['hermes.incomplete.reason'] = '"producer_lost"';
  return { ...rest, attributes, events: events.map((event) => String(event['(event)']).split(' at ')[0]) };
}

/** Where a span hangs. */
const place = ({ traceId, spanId, parentSpanId, name, kind }: SpanFacts) => ({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind,
});

const byId = (a: SpanFacts, b: SpanFacts) => (a.traceId + a.spanId < b.traceId + b.spanId ? -1 : 1);
const apart = (a: bigint, b: bigint) => (a < b ? b - a : a - b);

function expectGolden(name: string, text: string): void {
  const path = join(TOP, 'e2e/live/goldens', name);
  if (process.env.UPDATE_GOLDENS === '1') {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  }
  expect(text).toBe(readFileSync(path, 'utf8'));
}

describe.skipIf(fault !== undefined).each(RELEASES)('Hermes Agent $version', (release) => {
  const scenarios = isFull ? release.scenarios : (SHORT[release.version] ?? []);
  let agent: Agent;
  beforeAll(async () => {
    agent = await Agent.install(release, process.env.E2E_PROGRAMS ?? '');
  }, 600_000);

  it.each(scenarios)(
    '%s: agent, forwarder, serve, Collector, Jaeger',
    async (scenario) => {
      await agent.run(scenario, shared);
      const wanted = (await replayed(scenario)).sort(byId);
      expect(wanted.length).toBeGreaterThan(0);
      const got = (await shown(wanted)).sort(byId);
      const isRacing = release.racing?.includes(scenario) === true;
      const shape = isRacing ? place : facts;
      expect(got.map(shape)).toEqual(wanted.map(shape));
      if (isRacing) return;
      for (const [i, span] of got.entries()) {
        const other = wanted[i] as SpanFacts;
        expect(apart(span.start, other.start), `start of ${span.name}`).toBeLessThan(MOST_APART);
        expect(apart(span.end, other.end), `end of ${span.name}`).toBeLessThan(MOST_APART);
      }
      expectGolden(`${release.version}/${scenario}.txt`, treeShape(got));
    },
    180_000,
  );
});

it('the service lost and refused nothing', async () => {
  expect(await service.count('hermes_observer_malformed_total')).toBe(0);
  expect(await service.count('hermes_observer_missing_records_total')).toBe(0);
});

// docs/tail-sampling.yaml in the real Collector: 10,000 turns through the command, and what of them reaches the backend.
//
// node e2e/pipeline/tail-sampling.mjs [--seed 7] [--traces 10000]
//
// `checkTailSampling` is the same for a suite that has the program already. Programs as in e2e/run-suite.mjs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheFolder } from '../cache-folder.mjs';
import { spansIn, TailSampler } from './tail-sampling-collector.mjs';
import { backgroundRun, isError, isOrdinary, longRun, mixedTurns } from './tail-sampling-turns.mjs';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND = join(TOP, 'packages/cli/bin/hermes-observer.js');
const PERCENT = 10;
const DECISION_WAIT_SECONDS = 6;
/** Waits of the file in seconds instead of minutes. */
const SETTINGS = {
  TAIL_DECISION_WAIT: `${DECISION_WAIT_SECONDS}s`,
  TAIL_WAIT_AFTER_TURN: '2s',
  TAIL_PERCENT: String(PERCENT),
  COLLECTOR_LOG_LEVEL: 'warn',
};

/** Replays lines into a file, and to `endpoint` if there is one. Returns the requests of the file. */
function replay(lines, folder, endpoint) {
  const [records, spans] = [join(folder, 'records.ndjson'), join(folder, 'spans.jsonl')];
  writeFileSync(records, `${lines.join('\n')}\n`);
  const args = [
    COMMAND,
    'replay',
    records,
    '--otlp-file',
    spans,
    ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
  ];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 });
  if (status !== 0) throw new Error(`replay ended with ${status}\n${stderr}`);
  return readFileSync(spans, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

const attributeOf = ({ attributes = [] }, key) => attributes.find((one) => one.key === key)?.value?.stringValue;

/** Trace id → its span ids and the kind of its turn. */
function tracesOf(requests, kindOf) {
  const traces = new Map();
  for (const span of requests.flatMap(spansIn)) {
    const trace = traces.get(span.traceId) ?? { ids: new Set(), kind: undefined };
    traces.set(span.traceId, trace);
    trace.ids.add(span.spanId);
    trace.kind ??= kindOf.get(attributeOf(span, 'hermes.turn.id'));
  }
  return traces;
}

/** Bounds that a binomial count leaves with a chance of `alpha` at most, half of it on each side. */
export function binomialBounds(n, p, alpha) {
  let logFactor = 0;
  let below = 0;
  let least;
  for (let k = 0; k <= n; k++) {
    if (k > 0) logFactor += Math.log((n - k + 1) / k);
    below += Math.exp(logFactor + k * Math.log(p) + (n - k) * Math.log(1 - p));
    if (least === undefined && below > alpha / 2) least = k;
    if (below >= 1 - alpha / 2) return [least, k];
  }
  return [least ?? 0, n];
}

/** What came of each trace: `whole`, `none` or `part` of it. */
function fate({ ids }, got) {
  if (got === undefined) return 'none';
  return got.size === ids.size && [...ids].every((id) => got.has(id)) ? 'whole' : 'part';
}

async function checkMixedTurns(sampler, folder, { traces: count, seed }, check) {
  const { kindOf, lines } = mixedTurns(count, seed);
  const expected = tracesOf(replay(lines, folder, sampler.endpoint), kindOf);
  await sleep((DECISION_WAIT_SECONDS + 1) * 1000);
  await sampler.quiet(1_500);
  const got = sampler.backend.traces;
  const wanted = [...expected].filter(([, { kind }]) => !isOrdinary(kind));
  const rest = [...expected].filter(([, { kind }]) => isOrdinary(kind));
  const errors = wanted.filter(([, { kind }]) => isError(kind));
  check(`${count} turns are ${count} traces`, expected.size === count, `${expected.size}`);
  check('1 % of them have an error', errors.length === count / 100, `${errors.length}`);
  for (const kind of new Set(wanted.map(([, trace]) => trace.kind))) {
    const all = wanted.filter(([, trace]) => trace.kind === kind);
    const whole = all.filter(([id, trace]) => fate(trace, got.get(id)) === 'whole').length;
    check(`kept whole: ${kind}`, whole === all.length && all.length > 0, `${whole} of ${all.length}`);
  }
  const fates = rest.map(([id, trace]) => fate(trace, got.get(id)));
  const kept = fates.filter((one) => one !== 'none').length;
  const [least, most] = binomialBounds(rest.length, PERCENT / 100, 0.001);
  check(
    `${PERCENT} % of the rest`,
    kept >= least && kept <= most,
    `${kept} of ${rest.length}; ${least} to ${most} with 99.9 %`,
  );
  const parts = [...expected].filter(([id, trace]) => fate(trace, got.get(id)) === 'part').length;
  check('no trace came in part', parts === 0, `${parts} did`);
  const foreign = [...got.keys()].filter((id) => !expected.has(id)).length;
  const twice = [...got.values()].flatMap((spans) => [...spans.values()]).filter((times) => times > 1).length;
  check('nothing else came, and nothing twice', foreign === 0 && twice === 0, `${foreign} traces, ${twice} spans`);
}

/** Spans in two parts, with more than the wait for a decision between: first `early`, then the rest. */
async function checkInTwoParts(sampler, folder, what, lines, isEarly, check) {
  const requests = replay(lines, folder);
  const spans = requests.flatMap(spansIn);
  const { resource, scopeSpans } = requests[0].resourceSpans[0];
  const part = (some) => [{ resource, scopeSpans: [{ scope: scopeSpans[0].scope, spans: some }] }];
  const [early, late] = [spans.filter(isEarly), spans.filter((span) => !isEarly(span))];
  await sampler.post(part(early));
  await sleep((DECISION_WAIT_SECONDS + 2) * 1000);
  await sampler.post(part(late));
  await sampler.quiet(2_000);
  const got = sampler.backend.traces.get(spans[0].traceId)?.size ?? 0;
  const isFair = early.length > 0 && late.length > 0;
  check(`kept whole: ${what}`, isFair && got === spans.length, `${got} of ${early.length} + ${late.length} spans`);
}

/**
 * Runs it all with the Collector at `program`.
 * @param {(what: string, isGood: boolean, details?: string) => void} check is told of each result
 */
export async function checkTailSampling({ program, seed = Date.now() % 100_000, traces = 10_000 }, check) {
  console.log(`tail sampling: seed ${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'tail-sampling-'));
  const sampler = await TailSampler.start(program, SETTINGS);
  try {
    await checkMixedTurns(sampler, folder, { traces, seed }, check);
    const isNoTurn = (span) => !span.name.startsWith('invoke_agent');
    const isGood = (span) => isNoTurn(span) && span.status?.code !== 2;
    await checkInTwoParts(
      sampler,
      folder,
      'a run longer than the wait, which fails late',
      longRun(`long-${seed}`),
      isGood,
      check,
    );
    const isOfTurn = (span) => span.name !== 'invoke_agent leaf' && !span.name.includes('web_search');
    const background = backgroundRun(`background-${seed}`);
    await checkInTwoParts(sampler, folder, 'a turn whose subagent fails after it', background, isOfTurn, check);
    for (const [what, name] of [
      ['thrown away undecided', 'otelcol_processor_tail_sampling_sampling_trace_dropped_too_early'],
      ['refused', 'otelcol_receiver_refused_spans'],
      ['not taken by the queue', 'otelcol_exporter_enqueue_failed_spans'],
      ['not delivered', 'otelcol_exporter_send_failed_spans'],
    ]) {
      const count = await sampler.count(name);
      check(`the Collector counts none as ${what}`, count === 0, `${count}`);
    }
    const accepted = await sampler.count('otelcol_receiver_accepted_spans');
    check('and its counts are there', accepted > traces, `${accepted} spans accepted`);
  } finally {
    await sampler.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runAlone() {
  const { values } = parseArgs({ options: { seed: { type: 'string' }, traces: { type: 'string' } } });
  const script = join(TOP, 'e2e/bin/get-otelcol.sh');
  if (spawnSync('bash', [script, cacheFolder], { stdio: 'inherit' }).status !== 0) process.exit(1);
  const counts = { passed: 0, failed: 0 };
  const options = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
  await checkTailSampling({ program: join(cacheFolder, 'otelcol'), ...options }, (what, isGood, details = '') => {
    console.log(`${isGood ? 'ok  ' : 'FAIL'} ${what}${details === '' ? '' : `: ${details}`}`);
    counts[isGood ? 'passed' : 'failed']++;
  });
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runAlone();

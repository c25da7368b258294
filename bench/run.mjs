// `npm run bench`: what a hook costs, beside the bare OpenTelemetry SDK. Prints tables, writes bench/results/latest.json,
// and fails when a ratio is over its limit. `--smoke` runs every part briefly and judges next to nothing. `--peers` measures other
// products too, which are installed from npm into the cache; once they are there, they are measured each time. Names of parts, such
// as `signals`, run these alone; what the file has of the others stays.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { adapterCost } from './adapters/run.mjs';
import { STEPS } from './adapters/script.mjs';
import { DEPENDENCIES as ADAPTER_DEPENDENCIES } from './adapters/versions.mjs';
import { emitCost } from './emit-cost.mjs';
import { exportCost } from './export-cost.mjs';
import { importTime } from './import-time.mjs';
import { arePeersCached } from './peers/peer-modules.mjs';
import { peers } from './peers/run.mjs';
import { policyCost } from './policy.mjs';
import { receiverCost } from './receiver.mjs';
import { redactionCost } from './redaction.mjs';
import { replayRate } from './replay-rate.mjs';
import { signalCost } from './signals.mjs';
import { spanCost } from './span-cost.mjs';

const smoke = process.argv.includes('--smoke');
const only = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const wanted = (part) => only.length === 0 || only.includes(part);
const verdicts = [];

/**
 * What each may cost beside the default: on the caller's stack, and of the processor. A fifth above the highest of eight runs on a
 * machine with other work, so that they tell when something has become dearer, and not what it ought to cost.
 */
const SIGNAL_LIMITS = {
  genai: [1.4, 1.75],
  openinference: [1.4, 3.6],
  langfuse: [1.4, 3.6],
  cost: [1.7, 1.6],
  metrics: [11.5, 4.6],
  logs: [3, 2.8],
  all: [14.5, 9.5],
};

/** How many times its limit an adapter may take in a smoke run. */
const SMOKE_LIMIT = 40;

/** A figure that has a limit; never judged in a smoke run. */
function limit(what, value, most, unit = '×') {
  verdicts.push({ what, value: Math.round(value * 1000) / 1000, limit: most, unit, ok: value <= most });
}

function floor(what, value, least) {
  verdicts.push({ what, value: Math.round(value * 1000) / 1000, limit: `>= ${least}`, unit: '×', ok: value >= least });
}

const rounded = (rows) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([k, v]) => [k, typeof v === 'number' ? Math.round(v * 1000) / 1000 : v]),
    ),
  );
const results = {
  node: process.version,
  cpus: cpus().length,
  cpu: cpus()[0]?.model,
  at: new Date().toISOString(),
  smoke,
};

if (wanted('spans')) {
  const rows = spanCost({ rounds: smoke ? 3 : 400 });
  results.spans = rounded(rows);
  process.stdout.write('Hook payload → ended span, ns a span\n');
  console.table(results.spans);
  for (const { open, name, ratio } of rows) {
    if (name === 'ours, own provider') limit(`${name}, ${open} open`, ratio, 0.4);
    if (name === 'ours, SDK provider') limit(`${name}, ${open} open`, ratio, 1.25);
  }
}
if (wanted('emit')) {
  const rows = emitCost({ rounds: smoke ? 2 : 15 });
  results.emit = rounded(rows);
  process.stdout.write('Cost of a hook, ns a call\n');
  console.table(results.emit);
  limit('emit without a listener, above an empty call', rows[1].above, 25, 'ns');
}
if (wanted('heap')) {
  const heap = fileURLToPath(new URL('heap.mjs', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', heap], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  results.heap = JSON.parse(stdout);
  process.stdout.write('Heap, bytes an open span\n');
  console.table(results.heap);
  limit('heap per open span', results.heap.find(({ name }) => name === 'ours, own provider').bytes, 600, 'B');
}
if (wanted('approvals')) {
  const script = fileURLToPath(new URL('approvals.mjs', import.meta.url));
  const args = ['--expose-gc', script, smoke ? '500' : '10000'];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const rows = JSON.parse(stdout);
  results.approvals = rounded(rows);
  process.stdout.write('Approvals that wait for a person, in the file store: heap of each, timers of all\n');
  console.table(results.approvals);
  limit('heap of an approval that is waited for', rows[0].bytes, 2_048, 'B');
  limit('timers of 10,000 approvals that are waited for', rows[0].timers, 1, '');
}
if (wanted('import')) {
  const rows = importTime({ rounds: smoke ? 2 : 61 });
  results.import = rounded(rows);
  process.stdout.write('Start of a program, ms\n');
  console.table(results.import);
  const imported = rows.find(({ name }) => name === 'ours, import alone');
  limit('import, beside the API alone', imported.besideApi, 1.15);
  const ours = rows.find(({ name }) => name.startsWith('ours, ready'));
  limit('observer ready to send, beside the API and its OTLP exporter', ours.besideExporter, 1.15);
}
if (wanted('export')) {
  const rows = await exportCost({ rounds: smoke ? 2 : 60 });
  results.export = rounded(rows);
  process.stdout.write('Span → OTLP bytes that a local sink has answered for, beside the stock SDK, µs a span\n');
  console.table(results.export);
  for (const { name, wallRatio, cpuRatio } of rows.filter((row) => row.name.startsWith('ours'))) {
    limit(`export, ${name}, until the last answer`, wallRatio, 0.8);
    limit(`export, ${name}, of the processor`, cpuRatio, 0.8);
  }
}
if (wanted('signals')) {
  const rows = await signalCost({ rounds: smoke ? 1 : 40 });
  results.signals = rounded(rows);
  process.stdout.write('Profiles and signals beside the default pipeline, a turn of 31 spans, µs and bytes\n');
  console.table(results.signals);
  for (const { content, name, leastCallRatio, cpuRatio } of rows.filter((row) => row.content === 'none')) {
    const [mostCall, mostCpu] = SIGNAL_LIMITS[name] ?? [];
    if (mostCall === undefined) continue;
    limit(`${name}, content ${content}, on the caller's stack at least`, leastCallRatio, mostCall);
    limit(`${name}, content ${content}, of the processor`, cpuRatio, mostCpu);
  }
}
if (wanted('redaction')) {
  const rows = redactionCost({ rounds: smoke ? 3 : 101 });
  results.redaction = rounded(rows);
  process.stdout.write('Redaction of a text of 4 KB, beside JSON.stringify of it, ns\n');
  console.table(results.redaction);
  limit('redaction of a message, beside JSON.stringify', rows.find(({ text }) => text === 'message').ratio, 5);
}
if (wanted('policy')) {
  const rows = await policyCost({ rounds: smoke ? 2 : 31 });
  results.policy = rounded(rows);
  process.stdout.write('What a policy costs a tool call, µs of the processor\n');
  console.table(results.policy);
  const [none, others, match10, match20, amongOthers, hub, hubOthers] = [
    'no guard',
    '100 guards that do not match',
    '10 guards that match and allow',
    '20 guards that match and allow',
    '10 that match among 100 that do not',
    'hub with one guard that is no policy',
    'hub with 10 guards that do not match',
  ].map((name) => rows.find((row) => row.name === name).median);
  limit('a call, 100 guards that do not match, beside none', others / none, 1.25);
  limit('guards that match: 20 of them, beside 10', (match20 - none) / (match10 - none), 2.2);
  limit('10 guards that match, among 100 that do not, beside alone', amongOthers / match10, 1.25);
  limit('a hub with 10 guards that do not match, beside one with one guard', hubOthers / hub, 2);
}
if (wanted('replay')) {
  const rows = replayRate(smoke ? { rounds: 1, megabytes: 5 } : { rounds: 7, megabytes: 100 });
  results.replay = rounded(rows);
  process.stdout.write('Replay to a file, beside parsing the same lines, records a second\n');
  console.table(results.replay);
  for (const { recording, ratio } of rows) floor(`replay of ${recording}`, ratio, recording === 'w-volume' ? 0.4 : 0.6);
}
if (wanted('receiver')) {
  const { rows, ...figures } = await receiverCost(smoke ? { spans: 2_000, rounds: 1 } : { spans: 50_000, rounds: 5 });
  results.receiver = { rows: rounded(rows), ...rounded([figures])[0] };
  process.stdout.write(
    'Spans received over HTTP, beside parsing the same JSON: a second, and µs of the processor each\n',
  );
  console.table(results.receiver.rows);
  floor('received JSON, of the processor, beside JSON.parse', figures.jsonBesideParse, 0.5);
  floor('received protobuf, of the processor, beside JSON', figures.protobufBesideJson, 2);
  const most = Math.max(figures.jsonMebibytes, figures.protobufMebibytes);
  limit('resident after 50,000 spans', most, 200, 'MiB');
  limit('torn traces after an eviction', figures.tornTraces, 0, 'traces');
}
if (process.argv.includes('--peers') || (!smoke && wanted('peers') && arePeersCached())) {
  const { reason, rows = [], skipped = [], differences = [] } = await peers({ rounds: smoke ? 2 : 40 });
  results.peers = reason === undefined ? { turns: rounded(rows), skipped } : { reason };
  process.stdout.write('A turn of 31 spans, from the first call until a local backend has it, µs\n');
  if (reason !== undefined) process.stdout.write(`skipped: ${reason}\n`);
  else console.table(results.peers.turns);
  for (const one of skipped) process.stdout.write(`left out: ${one.name}: ${one.reason}\n`);
  for (const line of differences) process.stdout.write(`not the same attributes: ${line}\n`);
  const ours = rows.find(({ name }) => name === 'ours, without options');
  // The bare SDK does a part of the work: it is told of no hooks, and nests nothing. It is a measure, at equal encoding.
  const isBare = ({ name }) => name.startsWith('OpenTelemetry SDK');
  const bare = rows.find(({ name }) => name === 'OpenTelemetry SDK, protobuf');
  for (const figure of rows.length === 0 ? [] : ['call', 'delivered', 'cpu']) {
    const peersOnly = rows.filter((row) => row.version !== ours.version && !isBare(row));
    const [best] = peersOnly.sort((a, b) => a[figure] - b[figure]);
    limit(`a turn, ${figure}, beside the best of the peers (${best.name})`, ours[figure] / best[figure], 1);
    limit(`a turn, ${figure}, beside the bare SDK with protobuf`, ours[figure] / bare[figure], 1);
  }
}
if (wanted('adapters')) {
  const withPeers = process.argv.includes('--peers') || (!smoke && arePeersCached(ADAPTER_DEPENDENCIES));
  const scale = smoke ? { rounds: 2, generations: 1, warmUpRuns: 80 } : { rounds: 30 };
  const { reason, rows = [], skipped = [], load } = await adapterCost({ ...scale, withPeers });
  results.adapters = reason === undefined ? { rows: rounded(rows), skipped, load } : { reason };
  process.stdout.write('An agent of two steps, observed, beside the same one that nobody observes, µs\n');
  if (reason !== undefined) process.stdout.write(`skipped: ${reason}\n`);
  else console.table(rounded(rows).map(({ names: _, doesLess: __, isOwn: ___, ...row }) => row));
  for (const one of skipped) process.stdout.write(`left out: ${one.framework}, ${one.name}: ${one.reason}\n`);
  for (const ours of rows.filter(({ name }) => name === 'ours')) {
    const what = `${ours.framework}, ${ours.mode}`;
    const group = rows.filter(({ framework, mode }) => framework === ours.framework && mode === ours.mode);
    const most = Math.max(50, (group[0].wall / STEPS) * 0.05);
    limit(`${what}: a step takes longer`, ours.wallAStep, most, 'µs');
    // Briefly run code is not compiled yet, and of wall time other work takes a share: what is out of all proportion shows.
    const step = ours.leastCpuARun / STEPS;
    if (smoke && step > SMOKE_LIMIT * most) throw new Error(`${what}: ${step} µs of the processor more a step`);
    const theirs = group.filter(({ version, doesLess, isOwn }) => version !== undefined && !doesLess && !isOwn);
    for (const figure of ['wallAStep', 'meanWallAStep', 'cpuARun']) {
      const [best] = theirs.sort((a, b) => a[figure] - b[figure]);
      if (best !== undefined)
        limit(`${what}: ${figure} beside ${best.name}`, ours[figure] / Math.max(1, best[figure]), 1);
    }
  }
}

const file = fileURLToPath(new URL('results/latest.json', import.meta.url));
const former = only.length > 0 && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const measured = new Set((results.adapters?.rows ?? []).map(({ framework, mode }) => `${framework}, ${mode}: `));
const isOld = (what) =>
  verdicts.some((one) => one.what === what) || [...measured].some((start) => what.startsWith(start));
const others = (former.verdicts ?? []).filter(({ what }) => !isOld(what));
results.verdicts = [...others, ...verdicts];
if (!smoke) console.table(verdicts);
mkdirSync(fileURLToPath(new URL('results', import.meta.url)), { recursive: true });
if (!smoke) writeFileSync(file, `${JSON.stringify({ ...former, ...results }, null, 2)}\n`);
const failed = smoke ? 0 : verdicts.filter(({ ok }) => !ok).length;
process.stdout.write(`${verdicts.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

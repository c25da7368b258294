// What a turn costs from the first call to the last byte at a local backend, with us and with peers, in one process.
//
// node bench/peers/run.mjs [rounds]
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantiles } from '../interleave.mjs';
import { OURS } from './ours.mjs';
import { requirePeers } from './peer-modules.mjs';
import { startSink } from './sink.mjs';
import { makeTurn, SPANS_A_TURN, tell } from './turn.mjs';
import { OWN_SPANS } from './with-own-spans.mjs';
import { TRACERS } from './with-tracer.mjs';

/** Turns of one sample: a burst that the smallest default queue among them (2,048 spans) can take. */
const TURNS = 30;
const TURNS_A_TICK = 5;
const QUIET = {
  TRACELOOP_TELEMETRY: 'false',
  OPENAI_AGENTS_DISABLE_TRACING: '0',
  ENABLE_OBSERVABILITY: 'true',
  LANGFUSE_LOG_LEVEL: 'ERROR',
  LANGSMITH_TRACING: 'true',
};

/**
 * One sample: microseconds a turn on the caller's stack, until all is delivered, and of the processor in all. Nothing is
 * collected by force between samples: that throws away what the engine has compiled, and all are measured cold.
 */
async function sample({ one, turns }) {
  let called = 0n;
  await nextTurn();
  const cpu = process.cpuUsage();
  const began = process.hrtime.bigint();
  for (let i = 0; i < turns.length; i++) {
    const from = process.hrtime.bigint();
    if (one.tell === undefined) tell(one.library, turns[i]);
    else one.tell(turns[i]);
    called += process.hrtime.bigint() - from;
    if (i % TURNS_A_TICK === TURNS_A_TICK - 1) await nextTurn();
  }
  await one.flush();
  const whole = Number(process.hrtime.bigint() - began);
  const { user, system } = process.cpuUsage(cpu);
  const micros = { call: Number(called) / 1000, delivered: whole / 1000, cpu: user + system };
  return Object.fromEntries(Object.entries(micros).map(([name, value]) => [name, value / turns.length]));
}

const turnsFor = (count) => Array.from({ length: count }, makeTurn);

/** The ones that can run here, each having sent one burst that arrived whole; and why the others cannot. */
async function prepare(contestants, context, sink) {
  const ready = [];
  const skipped = [];
  const major = Number(process.versions.node.split('.')[0]);
  for (const contestant of contestants) {
    const { name, leastNode = 0 } = contestant;
    if (major < leastNode) {
      skipped.push({ name, reason: `needs Node.js ${leastNode}` });
      continue;
    }
    try {
      const one = await contestant.setup(context);
      await sample({ one, turns: turnsFor(1) });
      await sink.take();
      await sample({ one, turns: turnsFor(TURNS) });
      const { spans, bytes, requests, last } = await sink.take();
      if (spans < TURNS * SPANS_A_TURN) throw new Error(`${spans} of ${TURNS * SPANS_A_TURN} spans arrived`);
      const samples = { call: [], delivered: [], cpu: [] };
      ready.push({ contestant, one, samples, spans: spans / TURNS, bytes: bytes / TURNS, requests, last });
    } catch (error) {
      skipped.push({ name, reason: String(error?.message ?? error).split('\n')[0] });
    }
  }
  return { ready, skipped };
}

/** Names of attributes by name of span, to see that two contestants wrote the same. */
function shapeOf(spans) {
  const shape = {};
  for (const { name, attributes } of spans)
    shape[name] ??= attributes
      .map(({ key }) => key)
      .sort()
      .join(' ');
  return shape;
}

/** What differs between our attributes and those that peers are given. */
export function differences(ours, theirs) {
  const [a, b] = [shapeOf(ours), shapeOf(theirs)];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
    .filter((name) => a[name] !== b[name])
    .map((name) => `${name}: ${a[name]} | ${b[name]}`);
}

/**
 * @returns {Promise<{ rows: object[], skipped: object[], differences: string[] } | { reason: string }>} rows in microseconds
 * a turn (medians), with each peer's version; or the reason why no peer could be had
 */
export async function peers({ rounds = 40 } = {}) {
  const { require, reason } = requirePeers();
  if (reason !== undefined) return { reason };
  const sink = await startSink();
  Object.assign(process.env, QUIET, { LANGSMITH_ENDPOINT: sink.url });
  const { ready, skipped } = await prepare([...OURS, ...TRACERS, ...OWN_SPANS], { load: require, url: sink.url }, sink);
  for (let round = -Math.ceil(rounds / 5); round < rounds; round++) {
    for (const entry of [...ready].sort(() => Math.random() - 0.5)) {
      const figures = await sample({ one: entry.one, turns: turnsFor(TURNS) });
      const { spans } = await sink.take();
      if (spans < TURNS * SPANS_A_TURN) throw new Error(`${entry.contestant.name}: ${spans} spans of a burst arrived`);
      if (round < 0) continue;
      for (const [name, value] of Object.entries(figures)) entry.samples[name].push(value);
    }
  }
  for (const { one } of ready) await one.close();
  sink.close();
  const version = (name) => (name === undefined ? undefined : versionOf(require, name));
  const bare = ready.find(({ contestant }) => contestant.name === 'OpenTelemetry SDK');
  const median = (entry, figure) => quantiles(entry.samples[figure]).median;
  const rows = ready.map((entry) => ({
    name: entry.contestant.name,
    version: version(entry.contestant.of) ?? 'this one',
    exporter: entry.contestant.exporter,
    spans: entry.spans,
    bytes: Math.round(entry.bytes),
    call: median(entry, 'call'),
    delivered: median(entry, 'delivered'),
    cpu: median(entry, 'cpu'),
    callRatio: median(entry, 'call') / median(bare, 'call'),
    deliveredRatio: median(entry, 'delivered') / median(bare, 'delivered'),
    cpuRatio: median(entry, 'cpu') / median(bare, 'cpu'),
  }));
  const ours = ready.find(({ contestant }) => contestant.name === 'ours');
  return { rows, skipped, differences: differences(ours.last, bare.last) };
}

/** The version that is installed. Packages may keep their package.json to themselves, so it is read as a file. */
function versionOf(require, name) {
  const paths = require.resolve.paths(name).map((folder) => `${folder}/${name}/package.json`);
  for (const path of paths) {
    try {
      return require(path).version;
    } catch {
      // In one of the next folders.
    }
  }
  return '?';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await peers({ rounds: Number(process.argv[2] ?? 40) });
  if (result.reason === undefined) {
    console.table(result.rows);
    for (const { name, reason } of result.skipped) console.log(`left out: ${name}: ${reason}`);
    for (const line of result.differences) console.log(`differs: ${line}`);
  } else console.log(`skipped: ${result.reason}`);
  process.exit(0);
}

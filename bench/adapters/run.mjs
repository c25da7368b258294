// What observing an agent costs with our adapters and with those of others, beside the same agent that nobody observes.
//
// node bench/adapters/run.mjs [rounds] [frameworks…]
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantiles } from '../interleave.mjs';
import { requirePeers } from '../peers/peer-modules.mjs';
import { startSink } from '../peers/sink.mjs';
import { FRAMEWORKS } from './frameworks.mjs';
import { STEPS } from './script.mjs';
import { EMPTY } from './set-ups.mjs';
import { DEPENDENCIES } from './versions.mjs';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const NOTHING = 'nothing';
const SILENT = [NOTHING, EMPTY];
/** Runs of one sample: few enough spans for one batch of each. */
const RUNS = 40;
/** Runs before those: a process that waited for the others' turns has lost its place in the processor's caches. */
const LEAD = 20;
/** Runs before the first sample: the engine takes thousands to compile all that is called often, on a slow machine as on a fast one. */
const WARM_UP_RUNS = 3000;
/** Processes that grow warm at a time. */
const WARM_UP_PROCESSES = 2;
/** Processes anew for each part of the rounds: what the engine makes of a program is not the same in each. */
const GENERATIONS = 2;
const SETTINGS = {
  LANGFUSE_LOG_LEVEL: 'ERROR',
  OPENAI_AGENTS_DISABLE_TRACING: '0',
  TRACELOOP_TELEMETRY: 'false',
};

/**
 * Starts a process for a variant, and a backend of its own: what comes late counts for no other. `ask({ mode, runs })` gives what
 * these runs took.
 */
async function startWorker(framework, variant, folder) {
  const sink = await startSink();
  const args = [framework.name, variant.name, sink.url, ...(folder === undefined ? [] : [folder])];
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc'];
  const child = fork(WORKER, args, { stdio, execArgv: [], env: { ...process.env, ...SETTINGS } });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint = `${complaint}${chunk}`.slice(-4000);
  });
  const waiting = [];
  const settle = (message) => waiting.shift()?.(message);
  child.on('message', settle);
  child.on('exit', () => settle({ error: complaint || 'the process ended' }));
  const answer = async () => {
    const message = await new Promise((resolve) => waiting.push(resolve));
    if (message.error !== undefined) throw new Error(`${framework.name}, ${variant.name}: ${message.error}`);
    return message;
  };
  const end = () => {
    child.kill();
    sink.close();
  };
  const { modes } = await answer().catch((error) => {
    end();
    throw error;
  });
  const ask = (request) => {
    child.send(request);
    return answer();
  };
  return { variant, modes, sink, delivered: {}, ask, end };
}

/** Spans of a run by name, as the backend got them; a run without one for each request would be no comparison. */
async function spansOfRuns(worker, mode, runs) {
  const { spans, names } = await worker.sink.take();
  if (SILENT.includes(worker.variant.name) && spans === 0) return { spans: 0, names: {} };
  const each = Object.fromEntries(Object.entries(names).map(([name, count]) => [name, count / runs]));
  if (spans < runs * STEPS || spans % runs !== 0)
    throw new Error(`${worker.variant.name}, ${mode}: ${spans} spans of ${runs} runs arrived: ${JSON.stringify(each)}`);
  return { spans: spans / runs, names: each };
}

/** Whether it runs in this mode, and delivers the spans of its runs. */
async function tryIn(worker, mode) {
  await worker.ask({ mode, runs: 5 });
  await worker.sink.take();
  await worker.ask({ mode, runs: RUNS });
  worker.delivered[mode] = await spansOfRuns(worker, mode, RUNS);
}

/** Has all workers run in turns: one that were warm first would wait for the others, and have grown cold. */
async function warmUp(workers, runs, leaveOut) {
  const runOnce = async (worker, mode) => {
    try {
      await worker.ask({ mode, runs: RUNS });
    } catch (error) {
      delete worker.delivered[mode];
      leaveOut(worker.variant, mode, error);
    }
    await worker.sink.take();
  };
  for (let done = 0; done < runs; done += RUNS) {
    for (const mode of workers[0].modes) {
      const those = workers.filter(({ delivered }) => delivered[mode] !== undefined);
      for (let i = 0; i < those.length; i += WARM_UP_PROCESSES)
        await Promise.all(those.slice(i, i + WARM_UP_PROCESSES).map((worker) => runOnce(worker, mode)));
    }
  }
}

/** The workers that can run here, with what each delivers in each mode; and why others cannot. */
async function startWorkers(framework, variants, folder, warmUpRuns) {
  const workers = [];
  const skipped = [];
  const leaveOut = (variant, mode, { message }) => {
    if (variant.of === undefined) throw new Error(message);
    skipped.push({
      framework: framework.name,
      name: variant.name,
      mode,
      reason: message.split('\n', 1)[0].slice(0, 600),
    });
  };
  for (const variant of [{ name: NOTHING }, ...variants]) {
    try {
      workers.push(await startWorker(framework, variant, folder));
    } catch (error) {
      leaveOut(variant, 'all', error);
      continue;
    }
    const worker = workers.at(-1);
    for (const mode of worker.modes) {
      try {
        await tryIn(worker, mode);
      } catch (error) {
        await worker.sink.take();
        leaveOut(variant, mode, error);
      }
    }
  }
  await warmUp(workers, warmUpRuns, leaveOut);
  return { workers, skipped };
}

/** @returns rows of one framework in microseconds a run, with what each adds to the agent that nobody observes */
async function measure(framework, { rounds, generations, folder, warmUpRuns }) {
  const variants = framework.variants.filter(({ of }) => folder !== undefined || of === undefined);
  const samples = new Map();
  const skippedOnes = new Map();
  const of = (variant, mode) => {
    const key = `${variant.name} ${mode}`;
    if (!samples.has(key)) samples.set(key, { variant, mode, walls: [], cpu: [], addedWall: [], addedCpu: [] });
    return samples.get(key);
  };
  for (let generation = 0; generation < generations; generation++) {
    const { workers, skipped } = await startWorkers(framework, variants, folder, warmUpRuns);
    for (const one of skipped) skippedOnes.set(`${one.name} ${one.mode}`, one);
    for (let round = 0; round < Math.ceil(rounds / generations); round++) {
      for (const mode of workers[0].modes) {
        const figures = new Map();
        const those = workers.filter(({ delivered }) => delivered[mode] !== undefined);
        for (const worker of those.sort(() => Math.random() - 0.5)) {
          const isPeer = worker.variant.of !== undefined;
          try {
            figures.set(worker, await worker.ask({ mode, runs: RUNS, lead: LEAD }));
          } catch (error) {
            // The exporter of another product may fail now and then: it has a sample less.
            if (!isPeer) throw error;
          }
          if (isPeer) {
            // Some are told of a run's end after it, and deliver that with the next ones.
            await worker.sink.take();
          } else {
            const { spans } = await spansOfRuns(worker, mode, LEAD + RUNS);
            if (spans !== worker.delivered[mode].spans) throw new Error(`${worker.variant.name}: ${spans} spans a run`);
          }
        }
        const base = figures.get(workers[0]);
        for (const [{ variant, delivered }, { walls, cpu }] of figures) {
          const all = of(variant, mode);
          all.delivered = delivered[mode];
          all.walls.push(...walls);
          all.cpu.push(cpu);
          all.addedWall.push(median(walls) - median(base.walls));
          all.addedCpu.push(cpu - base.cpu);
        }
      }
    }
    for (const worker of workers) worker.end();
  }
  const alone = (mode) => of({ name: NOTHING }, mode);
  const rows = [...samples.values()].map((all) => ({
    framework: framework.name,
    mode: all.mode,
    name: all.variant.name,
    version: all.variant.of === undefined ? undefined : versionIn(folder, all.variant.of),
    doesLess: all.variant.doesLess,
    isOwn: all.variant.isOwn,
    spans: all.delivered.spans,
    wall: median(all.walls),
    cpu: median(all.cpu),
    wallAStep: median(all.addedWall) / STEPS,
    meanWallAStep: (trimmedMean(all.walls) - trimmedMean(alone(all.mode).walls)) / STEPS,
    leastWallAStep: (tenth(all.walls) - tenth(alone(all.mode).walls)) / STEPS,
    wallShare: median(all.addedWall) / median(alone(all.mode).walls),
    cpuARun: median(all.addedCpu),
    leastCpuARun: tenth(all.cpu) - tenth(alone(all.mode).cpu),
    names: all.delivered.names,
  }));
  const order = [NOTHING, ...variants.map(({ name }) => name)];
  rows.sort((a, b) => a.mode.localeCompare(b.mode) || order.indexOf(a.name) - order.indexOf(b.name));
  return { rows, skipped: [...skippedOnes.values()] };
}

const median = (list) => quantiles(list).median;
/** What a tenth takes less than: near what the work itself takes where other work on the machine interrupts it. */
const tenth = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 10)];

/** Without the longest hundredth, in which the machine did something else. */
function trimmedMean(list) {
  const sorted = [...list].sort((a, b) => a - b).slice(0, Math.ceil(list.length * 0.99));
  return sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
}

function versionIn(folder, name) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/**
 * What adapters cost. `wallAStep`: microseconds that the caller waits longer for a step, which is a model request and what
 * belongs to it; `cpuARun`: those of the processor more a run, until a local backend has all spans. Both are medians over rounds
 * of the difference to the same agent that nobody observes, in the same round. `meanWallAStep` is the same of means, which have
 * in them what an observer does now and then. `least…` are differences of what a tenth of the samples takes less than, which
 * other work on the machine changes little.
 *
 * @param {{ rounds: number, generations?: number, warmUpRuns?: number, only?: string[], withPeers: boolean }} options without
 * peers, the frameworks are those of this repository
 * @returns {Promise<{ rows: object[], skipped: object[], load: number } | { reason: string }>} or why peers could not be had
 */
export async function adapterCost({
  rounds,
  generations = GENERATIONS,
  warmUpRuns = WARM_UP_RUNS,
  only = [],
  withPeers,
}) {
  const { folder, reason } = withPeers ? requirePeers(DEPENDENCIES) : {};
  if (reason !== undefined) return { reason };
  const all = { rows: [], skipped: [], load: loadavg()[0] };
  for (const framework of FRAMEWORKS.filter(({ name }) => only.length === 0 || only.includes(name))) {
    const { rows, skipped } = await measure(framework, { rounds, generations, folder, warmUpRuns });
    all.rows.push(...rows);
    all.skipped.push(...skipped);
  }
  all.load = Math.max(all.load, loadavg()[0]);
  return all;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [rounds = 30, ...only] = process.argv.slice(2);
  const result = await adapterCost({ rounds: Number(rounds), only, withPeers: true });
  if (result.reason !== undefined) console.log(`skipped: ${result.reason}`);
  else {
    const figure = (value) => Math.round(value * 1000) / 1000;
    console.table(
      result.rows.map(({ names, ...row }) =>
        Object.fromEntries(Object.entries(row).map(([k, v]) => [k, typeof v === 'number' ? figure(v) : v])),
      ),
    );
    for (const { mode, name, names } of result.rows) console.log(`${mode}, ${name}: ${JSON.stringify(names)}`);
    for (const one of result.skipped)
      console.log(`left out: ${one.framework}, ${one.name}, ${one.mode}: ${one.reason}`);
    console.log(`load ${result.load}`);
  }
}

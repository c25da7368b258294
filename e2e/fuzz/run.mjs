// Hostile hook calls through the hub, the spans and the batches of an observer, into an exporter that misbehaves.
//
// npm run e2e:fuzz [-- --full] [-- --records 100000] [-- --seed 7]
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { NdjsonParser } from '@hermes-observer/core';
import { createObserver } from '@hermes-observer/otel';
import { FaultyExporter } from './faulty-exporter.mjs';
import { Random } from './random.mjs';
import { HookCalls } from './records.mjs';

const { values } = parseArgs({
  options: { full: { type: 'boolean' }, records: { type: 'string' }, seed: { type: 'string' } },
});
const records = Number(values.records ?? (values.full ? 1_000_000 : 100_000));
const seed = Number(values.seed ?? Date.now() % 1_000_000);
/** Heap that may stay after all is over: what engine and modules keep, whatever the number of records. */
const HEAP_BOUND = 4 * 2 ** 20;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
let passed = 0;
let failed = 0;

function check(what, isGood, details = '') {
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${what}${details === '' ? '' : `: ${details}`}`);
  if (isGood) passed++;
  else failed++;
}

const escaped = new Map();
const note = (where, error) => {
  let text = where;
  try {
    text += ` ${String(error?.stack ?? error)
      .split('\n')
      .slice(0, 3)
      .join(' ')}`;
  } catch {
    text += ' (unreadable)';
  }
  escaped.set(text, (escaped.get(text) ?? 0) + 1);
};
process.on('unhandledRejection', (error) => note('unhandled rejection', error));
process.on('uncaughtException', (error) => note('uncaught exception', error));

/** A small queue and short waits, so that each limit is met. */
const PIPELINE = {
  OTEL_BSP_MAX_QUEUE_SIZE: '512',
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '48',
  OTEL_BSP_SCHEDULE_DELAY: '20',
  OTEL_BSP_EXPORT_TIMEOUT: '40',
};

/** Counts what the provider tells its processors. */
class Ledger {
  started = 0;
  ended = 0;
  onStart() {
    this.started++;
  }
  onEnd() {
    this.ended++;
  }
  async forceFlush() {}
  async shutdown() {}
}

/**
 * One observer with `count` records through it, from its start to its end. The records, and what happens on the stack of
 * their callers, follow from the seed; what exporters do has a sequence of its own, since it depends on time.
 */
async function run(count, ownSeed, capture) {
  const random = new Random(ownSeed);
  const later = new Random(ownSeed ^ 0x9e3779b9);
  const ledger = new Ledger();
  const exporter = new FaultyExporter(later);
  const observer = createObserver({
    exporters: [exporter],
    processors: [ledger],
    capture,
    caller: random.of(['parent', 'link']),
    beforeExport: (span) => {
      if (later.oneIn(500)) throw new Error('beforeExport');
      return later.oneIn(100) ? null : span;
    },
    onWarning: () => {
      throw new Error('the one who is warned');
    },
    env: PIPELINE,
  });
  const calls = new HookCalls(random);
  let thrownByOurs = 0;
  observer.hub.on('pre_tool_call', () => {
    if (!random.oneIn(50)) return;
    thrownByOurs++;
    throw new Error('a subscriber');
  });
  observer.hub.on('post_tool_call', async () => {
    if (!random.oneIn(50)) return;
    thrownByOurs++;
    throw new Error('an async subscriber');
  });
  observer.hub.on('on_session_end', () => {
    if (random.oneIn(200)) observer.hub.emit('on_session_end', { turn_id: calls.turnId });
  });
  const parser = new NdjsonParser({ maxLineBytes: 2 ** 20 });
  const guard = (where, work) => {
    try {
      return work();
    } catch (error) {
      note(where, error);
      return undefined;
    }
  };
  for (let n = 0; n < count; n++) {
    const call = calls.next();
    if (call.isLive)
      guard('emit', () =>
        observer.hub.emit(call.hook, random.oneIn(20) ? () => call.payload : call.payload, call.meta),
      );
    else
      for (const record of guard('parser', () => parser.push(lineOf(call, random))) ?? []) {
        const { hook, payload, time_unix_nano, seq, producer, trace_context, profile } = record;
        const meta = { timeUnixNano: time_unix_nano, seq, producer, traceContext: trace_context, profile };
        guard('emit', () => observer.hub.emit(hook, payload, meta));
      }
    if (random.oneIn(50)) guard('contextOf', () => observer.contextOf({ turnId: calls.turnId }));
    if (n % 200 === 199) await nextTurn();
    if (random.oneIn(20_000)) await observer.flush(100).catch((error) => note('flush', error));
  }
  await observer.shutdown(2_000).catch((error) => note('shutdown', error));
  // Answers that come after the end.
  await sleep(400);
  return {
    started: ledger.started,
    ended: ledger.ended,
    counts: observer.counts,
    faults: exporter.faults,
    behaviours: exporter.behaviours,
    handedOver: exporter.handedOver,
    failures: observer.hub.stats.failures,
    thrownByOurs,
    malformed: parser.malformed,
  };
}

/** A call as a line of a recording, now and then broken. */
function lineOf({ hook, payload, meta }, random) {
  const { timeUnixNano, seq, producer, traceContext, profile } = meta;
  const record = { hook, time_unix_nano: timeUnixNano, seq, producer, payload, profile, trace_context: traceContext };
  const deep = random.oneIn(2_000) ? `,"deeper":${'[{"a":'.repeat(30_000)}1${'}]'.repeat(30_000)}` : '';
  const line = Buffer.from(`${JSON.stringify(record).slice(0, -1)}${deep}}\n`);
  if (!random.oneIn(40)) return line;
  if (random.oneIn(3)) return line.subarray(random.below(line.length));
  const at = random.below(line.length);
  line[at] ^= 1 << random.below(8);
  return line;
}

/** Heap in use once all that can go is gone. */
async function heapUsed() {
  for (let i = 0; i < 4; i++) {
    await nextTurn();
    collect();
  }
  return process.memoryUsage().heapUsed;
}

const CAPTURES = ['none', 'redacted', 'full'];
const texts = (map) => [...map].slice(0, 10).map(([text, times]) => `     ${times} × ${text}`);

console.log(`fuzz: ${records} records, seed ${seed}`);
const began = performance.now();
// What the engine and the modules keep comes with the first records, and is no leak.
for (const capture of CAPTURES) await run(Math.min(10_000, records), seed ^ 0x5bd1e995, capture);
const before = await heapUsed();
for (const [i, capture] of CAPTURES.entries()) {
  const result = await run(Math.ceil(records / CAPTURES.length), seed + i, capture);
  const { counts, started, ended, failures, thrownByOurs } = result;
  console.log(
    `capture ${capture}: ${result.malformed} lines were no records, ${ended} spans, ${result.handedOver} handed to the ` +
      `exporter, ${JSON.stringify(counts)}, ${JSON.stringify(failures)}`,
  );
  console.log([...result.behaviours].map(([name, times]) => `${name} ${times}`).join(', '));
  for (const text of texts(result.faults)) console.log(text);
  const isOurs = failures.observer === thrownByOurs;
  check('no subscriber failed but ours', isOurs, `${failures.observer} of ${thrownByOurs}`);
  const isClosed = counts.openSpans === 0 && started === ended;
  check('no span is open after the shutdown', isClosed, `${counts.openSpans}; ${started} began, ${ended} ended`);
  const sum = counts.exportedSpans + counts.failedSpans + counts.droppedSpans + counts.leftOutSpans;
  check('every ended span is accounted for', sum === ended && ended > records / 60, `${sum} of ${ended}`);
  check('every span is one that a backend takes', result.faults.size === 0, `${result.faults.size} kinds of fault`);
}
const grown = (await heapUsed()) - before;
for (const text of texts(escaped)) console.log(text);
check('nothing was thrown, no rejection unhandled', escaped.size === 0, `${escaped.size} kinds`);
check('no prototype was changed', {}.polluted === undefined && [].polluted === undefined);
check('memory is back at its base', grown < HEAP_BOUND, `${(grown / 2 ** 20).toFixed(1)} MiB above it`);
console.log(`${((performance.now() - began) / 1000).toFixed(0)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

import { readFileSync } from 'node:fs';
import { type HookRecord, NdjsonParser } from '@hermes-observer/core';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DumpedSpan, dumpSpan, Replay } from '../bridge/span-dump.test-support.js';
import { FC_SEED, records, runs } from './record-stream.test-support.js';
import type { SavedAssembly } from './saved-assembly.js';
import type { Trace } from './trace.js';

const closesMany = ({ hook, payload }: HookRecord) =>
  hook === 'observer_closed' && (payload.scope === 'producer' || payload.scope === 'all');

/** Handles records, notes the trace of each, and says what a recovery at this place needs. */
function runUntil(stream: readonly HookRecord[], isReplayed: (trace: Trace) => boolean) {
  const { bridge } = new Replay();
  const traces: (Trace | undefined)[] = [];
  for (const record of stream) {
    bridge.watch.trace = undefined;
    bridge.handleRecord(record);
    traces.push(bridge.watch.trace);
  }
  const isNeeded = (trace: Trace | undefined) => trace !== undefined && isReplayed(trace);
  const saved = JSON.parse(JSON.stringify(bridge.save(isReplayed))) as SavedAssembly;
  return { saved, needed: stream.filter((record, i) => isNeeded(traces[i]) || closesMany(record)) };
}

const allKnown = () => true;
const openOnes = ({ openSpans }: Trace) => openSpans > 0;

function goOn({ saved, needed }: { saved: SavedAssembly; needed: HookRecord[] }, rest: readonly HookRecord[]): Replay {
  const run = new Replay();
  run.bridge.beginRestore(saved);
  for (const record of needed) run.bridge.handleRecord(record);
  run.bridge.endRestore(saved);
  run.processor.ended.length = 0;
  for (const record of rest) run.bridge.handleRecord(record);
  run.bridge.closeAll();
  return run;
}

function endedAfter(stream: readonly HookRecord[], cut: number): DumpedSpan[] {
  const run = new Replay();
  for (const record of stream.slice(0, cut)) run.bridge.handleRecord(record);
  run.processor.ended.length = 0;
  for (const record of stream.slice(cut)) run.bridge.handleRecord(record);
  run.bridge.closeAll();
  return run.spans;
}

const sorted = (spans: readonly DumpedSpan[]) => spans.map((span) => JSON.stringify(span)).sort();

function read(name: string): HookRecord[] {
  const parser = new NdjsonParser();
  const bytes = readFileSync(new URL(`../../../../conformance/recordings/0.22.2/${name}.ndjson`, import.meta.url));
  return [...parser.push(bytes), ...parser.end()];
}

describe('a recovery', () => {
  it.each([
    'b-two-sequential-tools',
    'm-background-delegation-one-child-tui',
    'n-delegate-nested-sync',
    'o-execute-code-nested-tools',
    'p6-clarify-human-input-tui',
    'p7-smart-approval-escalated-tui',
    'q-two-turns-then-close-and-new',
    's-background-review-tui',
    't-two-concurrent-agents-threads',
    'x6-api-server-delegation',
  ])('after any record of a recording gives the spans that were to come: %s', (name) => {
    const stream = read(name);
    for (let cut = 0; cut <= stream.length; cut += 3) {
      const expected = sorted(endedAfter(stream, cut));
      expect(sorted(goOn(runUntil(stream.slice(0, cut), allKnown), stream.slice(cut)).spans)).toEqual(expected);
    }
  });

  it.each(['q-two-turns-then-close-and-new', 'n-delegate-nested-sync', 't-two-concurrent-agents-threads'])(
    'needs of closed traces no records, unless something comes late: %s',
    (name) => {
      const stream = read(name);
      for (let cut = 0; cut <= stream.length; cut += 3) {
        const expected = sorted(endedAfter(stream, cut));
        expect(sorted(goOn(runUntil(stream.slice(0, cut), openOnes), stream.slice(cut)).spans)).toEqual(expected);
      }
    },
  );

  it(`of any stream gives the spans that were to come (FC_SEED=${FC_SEED})`, () => {
    fc.assert(
      fc.property(records('A'), fc.nat(), (stream, place) => {
        const cut = stream.length === 0 ? 0 : place % stream.length;
        const run = goOn(runUntil(stream.slice(0, cut), allKnown), stream.slice(cut));
        expect(sorted(run.spans)).toEqual(sorted(endedAfter(stream, cut)));
      }),
      runs(300),
    );
  });

  it(`that knows open traces alone never gives a span twice in two ways (FC_SEED=${FC_SEED})`, () => {
    fc.assert(
      fc.property(records('A'), fc.nat(), (stream, place) => {
        const cut = stream.length === 0 ? 0 : place % stream.length;
        const run = goOn(runUntil(stream.slice(0, cut), openOnes), stream.slice(cut));
        const before = new Replay();
        for (const record of stream.slice(0, cut)) before.bridge.handleRecord(record);
        const known = new Set(before.spans.map(({ trace, id }) => `${trace}/${id}`));
        expect(run.processor.ended.map(dumpSpan).filter(({ trace, id }) => known.has(`${trace}/${id}`))).toEqual([]);
      }),
      runs(300),
    );
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HookRecord, type Hub, parseUnixNano } from '@hermes-observer/core';
import { TOP } from '../run-command.js';

/** The records of a recording. */
export function recordsOf(path: string): HookRecord[] {
  const lines = readFileSync(join(TOP, path), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as HookRecord);
}

/** Emits a record as the agent did; `run` keeps the ids of several recordings apart. */
export function emitRecord(hub: Hub, record: HookRecord, run: string): void {
  const { hook, payload, time_unix_nano, producer = 'p', seq, trace_context: traceContext, profile } = record;
  hub.emit(hook, payload, {
    time: parseUnixNano(time_unix_nano),
    producer: `${run}/${producer}`,
    ...(seq === undefined ? {} : { seq }),
    ...(traceContext === undefined ? {} : { traceContext }),
    ...(profile === undefined ? {} : { profile }),
  } as Parameters<Hub['emit']>[2]);
}

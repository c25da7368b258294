import { type HookRecord, parseRecord } from '@hermes-observer/core';
import { helloOf } from '../intake/hello.js';
import type { Intake } from '../intake/intake.js';
import type { Journal } from '../journal/journal.js';
import type { Tracer } from '../tracing/tracer.js';
import type { Checkpoint } from './checkpoint.js';
import { HeldRecords } from './held-records.js';

/** Records handled again until others get their turn. */
const SLICE = 500;

/** Where a service goes on: the checkpoint's position, or the beginning; never behind the end of the journal. */
export function startOf(checkpoint: Checkpoint | undefined, journal: Journal): number {
  return Math.min(Math.max(checkpoint?.position ?? 0, journal.oldest), journal.next);
}

/** Lets intake know what it has taken: what the checkpoint says, and the records since. */
export async function recoverIntake(
  intake: Intake,
  checkpoint: Checkpoint | undefined,
  journal: Journal,
): Promise<void> {
  if (checkpoint !== undefined) {
    intake.sequences.restore(checkpoint.assembly.numbers);
    intake.producers.restore(checkpoint.producers);
  }
  const counted = checkpoint?.producersUpTo ?? 0;
  intake.countedUpTo = journal.next;
  for await (const { position, line } of journal.range(startOf(checkpoint, journal), journal.next)) {
    const record = journal.parse(line);
    if (record?.producer === undefined) continue;
    if (record.seq !== undefined) intake.sequences.isNew(record.producer, record.seq);
    if (position >= counted) intake.producers.saw([record], Date.now());
    if (record.hook === 'observer_hello') intake.producers.get(record.producer).hello = helloOf(record.payload);
  }
}

/** Brings the tracer to where the checkpoint was made. Returns the records that are held. */
export async function recoverTracer(
  tracer: Tracer,
  checkpoint: Checkpoint | undefined,
  journal: Journal,
  folder: string,
): Promise<HeldRecords> {
  const position = startOf(checkpoint, journal);
  if (checkpoint === undefined) {
    tracer.startAt(position);
    return new HeldRecords(folder, position);
  }
  const { assembly, from, held: file } = checkpoint;
  const isNeeded = wanted(checkpoint.needed);
  const begin = Math.min(from, position);
  tracer.beginRestore(assembly, begin);
  const held = new HeldRecords(folder, begin, file);
  const positions: number[] = [];
  const serials: number[] = [];
  let bytes = 0;
  let handled = 0;
  for await (const { position: at, line } of held.read()) {
    const { record } = at < begin && isNeeded(at) ? parseRecord(line) : {};
    // One for each line of the file; 0 is no trace's.
    positions.push(at);
    serials.push(record === undefined ? 0 : tracer.handleAgain(record, at));
    bytes += line.length;
    if (++handled % SLICE === 0) await turn();
  }
  for await (const { position: at, line } of journal.range(begin, position)) {
    if (!isNeeded(at)) continue;
    const record: HookRecord | undefined = journal.parse(line);
    if (record !== undefined) tracer.handleAgain(record, at);
    if (++handled % SLICE === 0) await turn();
  }
  tracer.endRestore(assembly, position);
  return new HeldRecords(folder, begin, file, bytes, positions, serials);
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Whether a position is in ranges; to be asked in rising order. */
function wanted(ranges: readonly number[]): (position: number) => boolean {
  let i = 0;
  return (position) => {
    while (i < ranges.length && (ranges[i] as number) + (ranges[i + 1] as number) <= position) i += 2;
    return i < ranges.length && (ranges[i] as number) <= position;
  };
}

import type { Parts } from './parts.js';
import type { Count } from './ports.js';

/** What the service counts, by the names that Prometheus shows. */
export function serviceCounts({
  intake,
  journal,
  loop,
  tracer,
  delivery,
  checkpointer,
  clock,
  deletions,
  metrics,
}: Parts): Count[] {
  const { bridge, tracks } = tracer;
  const { counts, producers, sequences } = intake;
  const { stats } = bridge;
  const list: Count[] = [
    count('records', 'Records that were taken.', counts.records),
    count('duplicate_records', 'Records that had been taken before.', counts.duplicates),
    count('missing_records', 'Numbers that producers left out.', sequences.missing),
    count(
      'narrowed_records',
      'Records that lost content which their producer had said it would not send.',
      counts.narrowed,
    ),
    count('late_records', 'Records that came too long after their turn was closed.', stats.tooLate),
    count('faulty_records', 'Records that could not be read.', stats.faults + journal.unreadable),
    count('lost_records', 'Records that damage of the journal took before they were traced.', loop.lostRecords),
    count('journal_damaged_bytes', 'Bytes of the journal that damage made useless.', journal.damagedBytes),
    count('erased_records', 'Records of deleted sessions that were emptied on disk.', deletions.erased),
    count('spans', 'Spans that ended.', loop.spans),
    count('clock_decisions', 'Turns, traces and producers that the clock closed.', clock.decisions),
    count('checkpoints', 'Checkpoints that were made.', checkpointer.made),
    count('checkpoint_failures', 'Checkpoints that could not be written.', checkpointer.failures),
    count('unheld_traces', 'Traces too large to be gone on with after a crash.', checkpointer.unheld),
    gauge('open_traces', 'Traces with open spans.', bridge.openTraces),
    gauge('open_spans', 'Open spans.', bridge.openSpans),
    gauge('partial_traces', 'Open traces that could not be gone on with after a crash.', tracks.partial),
    gauge('waiting_deletions', 'Deleted sessions with records that are still on disk.', deletions.waiting),
    gauge('journal_bytes', 'Bytes of the journal.', journal.bytes),
    gauge(
      'journal_lag_records',
      'Records of the journal that are not traced, or whose spans are not in the spools.',
      Math.max(0, journal.next - loop.spooled),
    ),
    gauge('held_bytes', 'Bytes of records of long-open traces.', checkpointer.heldBytes),
    gauge('paused', '1 while no records are taken.', intake.pause.isOn ? 1 : 0),
    ...delivery.counts(),
    ...(metrics?.counts() ?? []),
  ];
  for (const [reason, value] of Object.entries(counts.refused)) {
    list.push({ name: 'malformed_lines', help: 'Lines that were no records.', value, labels: { reason } });
  }
  for (const [reason, value] of Object.entries(producers.dropped)) {
    list.push({ name: 'producer_dropped_records', help: 'Records that producers gave up.', value, labels: { reason } });
  }
  return list;
}

const count = (name: string, help: string, value: number): Count => ({ name, help, value });
const gauge = (name: string, help: string, value: number): Count => ({ name, help, value, kind: 'gauge' });

import { join } from 'node:path';
import type { Hub } from '@hermes-observer/core';
import { CheckpointFile } from './checkpoint/checkpoint-file.js';
import { Checkpointer } from './checkpoint/checkpointer.js';
import { recoverIntake, recoverTracer, startOf } from './checkpoint/recovery.js';
import { Delivery } from './delivery/delivery.js';
import type { LogEncoder } from './delivery/log-encoder.js';
import { DropTotals } from './drop-totals.js';
import { hasContent, withoutContent } from './intake/content-fields.js';
import { Intake } from './intake/intake.js';
import { Deletions } from './journal/deletions.js';
import { Journal } from './journal/journal.js';
import type { AgentMetrics } from './metrics/agent-metrics.js';
import type { ResolvedOptions } from './resolve-options.js';
import { serviceCounts } from './service-counts.js';
import { ClockWatch } from './tracing/clock-watch.js';
import { Tracer } from './tracing/tracer.js';
import { TracingLoop } from './tracing/tracing-loop.js';

/** The parts of a service that is open. */
export interface Parts {
  readonly journal: Journal;
  readonly intake: Intake;
  readonly tracer: Tracer;
  readonly delivery: Delivery;
  readonly checkpointer: Checkpointer;
  readonly checkpointFile: CheckpointFile;
  readonly loop: TracingLoop;
  readonly clock: ClockWatch;
  readonly drops: DropTotals;
  readonly deletions: Deletions;
  readonly metrics: AgentMetrics | undefined;
  /** Position of the first record that this run traces. */
  readonly tracedFrom: number;
}

/** Opens all parts of a data folder, and brings them to where they were. */
export async function openParts(options: ResolvedOptions, hub: Hub): Promise<Parts> {
  const { dataFolder, onWarning, sync, syncMillis, history } = options;
  const folder = join(dataFolder, 'service');
  const log = { sync, syncMillis, onDamage: ({ error }: { error: Error }) => onWarning(error.message) };
  let intake: Intake | undefined;
  const journal = await Journal.open(join(folder, 'journal'), {
    ...log,
    history,
    prepare: (record) => (options.capture === 'none' && hasContent(record) ? withoutContent(record) : record),
    onKept: (records, end) => intake?.kept(records, end),
  });
  let delivery: Delivery | undefined;
  try {
    const checkpointFile = new CheckpointFile(folder);
    const checkpoint = await checkpointFile.load(onWarning);
    delivery = await Delivery.open({
      targets: [...options.exporters, ...logTargets(options)],
      logs: await logEncoder(options),
      folder: join(folder, 'spools'),
      stateFolder: join(folder, 'relay'),
      log,
      redactor: options.redactor,
      cursors: checkpoint?.spools ?? {},
      journalEnd: journal.next,
      onWarning,
    });
    const ways = delivery;
    const taking = new Intake(journal, {
      capture: options.capture,
      maxJournalBytes: options.maxJournalBytes,
      onWarning,
      makeRoom: () => journal.retain(Math.min(checkpointer.settled, loop.spooled), true),
      now: () => toMillis(options.now()),
      onRecords: options.onRecords,
    });
    intake = taking;
    await recoverIntake(taking, checkpoint, journal);
    const end = journal.next;
    const isCaughtUp = () => loop.isRecovered && loop.position >= end;
    const metrics = await openMetrics(options, isCaughtUp);
    if (checkpoint?.metrics !== undefined) metrics?.restore(checkpoint.metrics);
    const tracer = new Tracer({
      ...options,
      measuring: metrics?.processor,
      evaluations: options.logs === undefined ? undefined : await evaluationCollector(),
      hub,
      isDeleted: (record, position) => deletions.has(record, position),
      onError: (error) => onWarning(`a span could not be made: ${String(error)}`),
    });
    const position = startOf(checkpoint, journal);
    const cursors = () => ways.cursors;
    const drops = new DropTotals(() => serviceCounts(parts), checkpoint?.drops);
    const checkpointer = new Checkpointer(
      {
        file: checkpointFile,
        journal,
        tracer,
        intake: taking,
        drops,
        metrics,
        cursors,
        flush: () => ways.flush(),
        onWarning,
      },
      Math.min(checkpoint?.from ?? position, position),
    );
    const deletions = await Deletions.open({
      journal,
      file: join(folder, 'deleted-sessions'),
      release: async (ranges, upTo) => {
        if (!loop.isRecovered || loop.position < upTo || !tracer.tracks.release(ranges)) return false;
        await checkpointer.renew(upTo);
        return true;
      },
      onWarning,
    });
    const recover = async () => {
      checkpointer.begin(await recoverTracer(tracer, checkpoint, journal, folder));
      drops.recovered(['late_records', 'faulty_records']);
    };
    const loop = new TracingLoop({ journal, tracer, delivery, checkpointer, recover, position, onWarning });
    const clock = new ClockWatch({
      tracer,
      intake: taking,
      limits: options.clock,
      graceMillis: options.producerGraceMillis,
      silenceMillis: options.producerSilenceMillis,
      now: options.now,
    });
    const parts: Parts = {
      journal,
      intake: taking,
      tracer,
      delivery,
      checkpointer,
      checkpointFile,
      loop,
      clock,
      drops,
      deletions,
      metrics,
      tracedFrom: position,
    };
    return parts;
  } catch (error) {
    await delivery?.close();
    await journal.close();
    throw error;
  }
}

const toMillis = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 + Math.floor(nanos / 1e6);

/** Loaded where it is asked for. */
async function openMetrics(
  { metrics, redactor, now, onWarning }: ResolvedOptions,
  isCaughtUp: () => boolean,
): Promise<AgentMetrics | undefined> {
  if (metrics === undefined) return undefined;
  const { AgentMetrics } = await import('./metrics/agent-metrics.js');
  return new AgentMetrics(now(), redactor, isCaughtUp, (error) => onWarning(`metrics failed: ${String(error)}`));
}

/** No exporter may have such a name. */
const LOGS = 'otlp.logs';

function logTargets({ logs, spool }: ResolvedOptions) {
  return logs === undefined ? [] : [{ kind: 'http', name: LOGS, signal: 'logs', spool, ...logs } as const];
}

async function logEncoder(options: ResolvedOptions): Promise<LogEncoder | undefined> {
  if (options.logs === undefined) return undefined;
  const { LogEncoder } = await import('./delivery/log-encoder.js');
  return new LogEncoder(options.serviceName, options.resourceAttributes);
}

async function evaluationCollector() {
  const { EvaluationCollector } = await import('./tracing/evaluation-collector.js');
  return (...args: ConstructorParameters<typeof EvaluationCollector>) => new EvaluationCollector(...args);
}

import { type HrTime, now, ObserverError } from '@hermes-observer/core';
import type { SyncPolicy } from '@hermes-observer/core/segments';
import {
  CAPTURE_MODES,
  type Capture,
  type ClockLimits,
  DEFAULT_CLOCK,
  type SpanProcessor,
  SpanRedactor,
} from '@hermes-observer/otel';
import { leadsTo } from '../config/own-address.js';
import type { ExportTarget, ServiceOptions, SpoolLimits } from './options.js';
import type { TraceFollower } from './ports.js';

const DAY = 86_400_000;
const GIB = 2 ** 30;

/** `ServiceOptions` with every default. */
export interface ResolvedOptions {
  readonly dataFolder: string;
  readonly sync: SyncPolicy;
  readonly syncMillis: number;
  /** Both are 0 without history. */
  readonly history: { readonly ageMillis: number; readonly bytes: number };
  readonly maxJournalBytes: number;
  readonly capture: Capture;
  readonly redactor: SpanRedactor | undefined;
  readonly agentName: string;
  readonly serviceName: string | undefined;
  readonly resourceAttributes: Readonly<Record<string, string>>;
  readonly clock: ClockLimits;
  readonly producerGraceMillis: number;
  readonly producerSilenceMillis: number;
  readonly exporters: readonly (ExportTarget & { readonly spool: Required<SpoolLimits> })[];
  readonly onWarning: (text: string) => void;
  readonly processors: readonly SpanProcessor[];
  readonly metrics: ServiceOptions['metrics'];
  readonly logs: ServiceOptions['logs'];
  /** Of targets that have no limits of their own. */
  readonly spool: Required<SpoolLimits>;
  readonly follower: TraceFollower | undefined;
  readonly onRecords: ServiceOptions['onRecords'];
  readonly now: () => HrTime;
}

/** @throws ObserverError `HO_OPTION`. */
export function resolveOptions(options: ServiceOptions): ResolvedOptions {
  const { journal = {}, spool = {}, capture = 'none', exporters = [], ownAddresses = [] } = options;
  const { history = {} } = journal;
  demand(CAPTURE_MODES.includes(capture), `capture is ${JSON.stringify(capture)}; use none, redacted or full.`);
  checkTargets(exporters, ownAddresses);
  return {
    dataFolder: options.dataFolder,
    sync: options.sync ?? 'interval',
    syncMillis: positive('syncMillis', options.syncMillis ?? 100),
    history:
      history === 'off'
        ? { ageMillis: 0, bytes: 0 }
        : { ageMillis: history.ageMillis ?? 7 * DAY, bytes: history.bytes ?? GIB },
    maxJournalBytes: positive('journal.maxBytes', journal.maxBytes ?? 8 * GIB),
    capture,
    redactor: redactorOf(options.redaction),
    agentName: options.agentName ?? 'hermes',
    serviceName: options.serviceName,
    resourceAttributes: options.resourceAttributes ?? {},
    clock: { ...DEFAULT_CLOCK, ...options.clock },
    producerGraceMillis: positive('producerGraceMillis', options.producerGraceMillis ?? 60_000),
    producerSilenceMillis: positive('producerSilenceMillis', options.producerSilenceMillis ?? 1_800_000),
    exporters: exporters.map((target) => {
      const { bytes = GIB, ageMillis = 7 * DAY } = { ...spool, ...target.spool };
      return { ...target, spool: { bytes, ageMillis } };
    }),
    onWarning: options.onWarning ?? ((text) => process.emitWarning(text, { type: 'HermesObserverWarning' })),
    processors: options.processors ?? [],
    metrics: options.metrics,
    logs: options.logs,
    spool: { bytes: spool.bytes ?? GIB, ageMillis: spool.ageMillis ?? 7 * DAY },
    follower: options.follower,
    onRecords: options.onRecords,
    now: options.now ?? now,
  };
}

function redactorOf(redaction: ServiceOptions['redaction']): SpanRedactor | undefined {
  if (redaction === undefined) return undefined;
  demand(redaction.mode !== 'hash' || redaction.salt !== undefined, 'redaction.mode is hash; set redaction.salt too.');
  return new SpanRedactor(redaction);
}

function checkTargets(targets: readonly ExportTarget[], own: readonly string[]): void {
  const names = new Set<string>();
  for (const target of targets) {
    const { name } = target;
    demand(
      /^[A-Za-z0-9_-]{1,64}$/.test(name),
      `exporter name ${JSON.stringify(name)} must be of A-Z, a-z, 0-9, _ and -`,
    );
    // File systems may not tell large letters from small ones.
    demand(!names.has(name.toLowerCase()), `two exporters are named ${name}; give each a name of its own`);
    names.add(name.toLowerCase());
    if (target.kind !== 'http') continue;
    const isAddress = URL.canParse(target.url) && /^https?:$/.test(new URL(target.url).protocol);
    demand(
      isAddress,
      `the address of exporter ${name} is no http or https address, such as http://localhost:4318/v1/traces`,
    );
    demand(
      !leadsTo(own, target.url),
      `exporter ${name} points at this service itself; give it the address of a backend`,
    );
  }
}

function positive(name: string, value: number): number {
  demand(typeof value === 'number' && value > 0, `${name} is ${String(value)}; it must be a number above 0`);
  return value;
}

function demand(isGood: boolean, text: string): void {
  if (!isGood) throw new ObserverError('HO_OPTION', text);
}

import { checkKinds, demandOption as demand, type OptionKind } from '@hermes-observer/core';
import { CAPTURE_MODES } from '../attributes/capture.js';
import type { SpoolSettings } from '../exporters/spooled-otlp.js';
import type { SpanExporter } from '../sdk/types.js';
import type { CapturingExporter, ObserverOptions } from './options.js';

/** Whether `value` has methods of these names. Never throws. */
function has(value: unknown, ...methods: string[]): boolean {
  try {
    return (
      ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
      methods.every((method) => typeof (value as Record<string, unknown>)[method] === 'function')
    );
  } catch {
    return false;
  }
}

/** An exporter itself, and not one with a capture of its own. A wrapper may have a field `exporter` as well. */
export const isExporter = (given: SpanExporter | CapturingExporter): given is SpanExporter => has(given, 'export');

const checkCapture = (capture: unknown, of: string) =>
  demand(
    (CAPTURE_MODES as readonly unknown[]).includes(capture),
    `${of} is ${JSON.stringify(capture)}; use none, redacted or full.`,
  );

/** What each option is, as `typeof` says it; those of a kind of their own are looked at one by one. */
const OPTIONS: Readonly<Record<keyof ObserverOptions, OptionKind>> = {
  serviceName: 'string',
  agentName: 'string',
  capture: 'own',
  attributes: 'object',
  tracerProvider: 'own',
  exporters: 'own',
  processors: 'own',
  sampler: 'own',
  spanLimits: 'object',
  beforeExport: 'function',
  redaction: 'object',
  spool: 'object',
  meterProvider: 'own',
  cost: 'own',
  metrics: 'own',
  logs: 'own',
  global: 'boolean',
  hub: 'own',
  approve: 'function',
  caller: 'own',
  baggage: 'own',
  limits: 'object',
  clock: 'object',
  timeoutMillis: 'number',
  env: 'object',
  onWarning: 'function',
};

function checkSpool(spool: SpoolSettings, { exporters, processors, tracerProvider }: ObserverOptions): void {
  const { folder, maxBytes, maxAgeMillis, ...others } = spool;
  const [unknown] = Object.keys(others);
  demand(unknown === undefined, `spool has no ${unknown}; there are folder, maxBytes, maxAgeMillis.`);
  demand(typeof folder === 'string' && folder !== '', 'spool.folder must be the path of a folder.');
  for (const [name, value] of Object.entries({ maxBytes, maxAgeMillis })) {
    const isGood = value === undefined || (typeof value === 'number' && value > 0);
    demand(isGood, `spool.${name} must be a number above 0.`);
  }
  demand(
    exporters === undefined && processors === undefined && tracerProvider === undefined,
    'spool is for the exporter that is the default; in place of it, put a SpooledOtlpExporter into exporters.',
  );
}

/**
 * Finds options of a wrong kind before anything is made of them: later they would be taken for a faulty exporter, or let
 * out what was to stay in. @throws ObserverError `HO_OPTION`
 */
export function checkOptions(options: ObserverOptions): void {
  const { baggage, capture, caller, exporters, processors, sampler, tracerProvider, meterProvider, spool, hub } =
    options;
  checkKinds(options, OPTIONS);
  if (capture !== undefined) checkCapture(capture, 'capture');
  demand(caller === undefined || caller === 'parent' || caller === 'link', 'caller must be parent or link.');
  if (exporters !== undefined) demand(Array.isArray(exporters), 'exporters must be a list.');
  if (processors !== undefined) demand(Array.isArray(processors), 'processors must be a list.');
  for (const given of exporters ?? []) {
    const exporter = has(given, 'export') ? given : (given as CapturingExporter | undefined)?.exporter;
    demand(has(exporter, 'export'), 'exporters must hold exporters, or { exporter, capture }: one has no export().');
    if (exporter !== given) checkCapture((given as CapturingExporter).capture, 'capture of an exporter');
  }
  for (const processor of processors ?? []) {
    demand(
      has(processor, 'onStart', 'onEnd'),
      'processors must hold span processors: one has no onStart() or onEnd().',
    );
  }
  demand(baggage === undefined || Array.isArray(baggage), 'baggage must be a list of names.');
  demand(sampler === undefined || has(sampler, 'shouldSample'), 'sampler has no shouldSample().');
  demand(tracerProvider === undefined || has(tracerProvider, 'getTracer'), 'tracerProvider has no getTracer().');
  demand(
    options.redaction === undefined || tracerProvider === undefined,
    'redaction does not reach a tracerProvider of your own; put a RedactingSpanExporter around its exporter.',
  );
  demand(
    !options.cost || tracerProvider === undefined,
    'cost does not reach a tracerProvider of your own; give that a CostSpanProcessor.',
  );
  demand(meterProvider === undefined || has(meterProvider, 'getMeter'), 'meterProvider has no getMeter().');
  demand(
    tracerProvider === undefined || (options.metrics ?? options.logs) === undefined,
    'metrics and logs do not reach a tracerProvider of your own; give it the processors of @hermes-observer/signals.',
  );
  if (spool !== undefined) checkSpool(spool, options);
  demand(hub === undefined || has(hub, 'on', 'emit', 'ask'), 'hub is no hub: it has no on(), emit() or ask().');
  for (const [name, value] of Object.entries({ ...options.limits, ...options.clock })) {
    demand(typeof value === 'number' && value > 0, `${name} must be a number above 0.`);
  }
}

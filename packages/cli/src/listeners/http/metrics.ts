import type { ServerResponse } from 'node:http';
import type { ObservableResult } from '@opentelemetry/api';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider, type ResourceMetrics, type ScopeMetrics } from '@opentelemetry/sdk-metrics';
import type { Count } from '../../service/ports.js';

/** Counts of the service in Prometheus' text format. An instrument is made when its count is first seen. */
export class Metrics {
  readonly #counts: () => readonly Count[];
  readonly #agents: () => ScopeMetrics | undefined;
  readonly #exporter = new PrometheusExporter({ preventServerStart: true });
  readonly #meter = new MeterProvider({ readers: [this.#exporter] }).getMeter('hermes-observer');
  readonly #known = new Set<string>();
  #current: readonly Count[] = [];

  /** @param agents metrics of agents, which have no prefix */
  constructor(counts: () => readonly Count[], agents: () => ScopeMetrics | undefined = () => undefined) {
    this.#counts = counts;
    this.#agents = agents;
  }

  async respond(response: ServerResponse): Promise<void> {
    this.#current = this.#counts();
    for (const count of this.#current) this.#define(count);
    const { resourceMetrics } = await this.#exporter.collect();
    const agents = this.#agents();
    const page = COUNTS.serialize(resourceMetrics) + (agents === undefined ? '' : AGENTS.serialize(named(agents)));
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(page);
  }

  #define({ name, help, kind = 'counter' }: Count): void {
    if (this.#known.has(name)) return;
    this.#known.add(name);
    const options = { description: help };
    const instrument =
      kind === 'counter'
        ? this.#meter.createObservableCounter(name, options)
        : this.#meter.createObservableGauge(name, options);
    instrument.addCallback((result: ObservableResult) => {
      for (const count of this.#current) if (count.name === name) result.observe(count.value, count.labels);
    });
  }
}

const COUNTS = new PrometheusSerializer('hermes_observer', false, undefined, true, true);
const AGENTS = new PrometheusSerializer('', false, undefined, true, true);

/** Prometheus has units in its names, in words. */
const WORDS: Readonly<Record<string, string>> = { s: '.seconds' };

function named({ scope, metrics }: ScopeMetrics): ResourceMetrics {
  const renamed = metrics.map((metric) => {
    const { descriptor } = metric;
    return { ...metric, descriptor: { ...descriptor, name: `${descriptor.name}${WORDS[descriptor.unit] ?? ''}` } };
  });
  return { resource: NO_RESOURCE, scopeMetrics: [{ scope, metrics: renamed }] };
}

const NO_RESOURCE = { attributes: {} } as ResourceMetrics['resource'];

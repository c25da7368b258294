import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObservableResult } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import type { Count } from '../../service/ports.js';

/** Counts of the service in Prometheus' text format. An instrument is made when its count is first seen. */
export class Metrics {
  readonly #counts: () => readonly Count[];
  readonly #exporter = new PrometheusExporter({
    preventServerStart: true,
    prefix: 'hermes_observer',
    appendTimestamp: false,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  });
  readonly #meter = new MeterProvider({ readers: [this.#exporter] }).getMeter('hermes-observer');
  readonly #known = new Set<string>();
  #current: readonly Count[] = [];

  constructor(counts: () => readonly Count[]) {
    this.#counts = counts;
  }

  respond(request: IncomingMessage, response: ServerResponse): void {
    this.#current = this.#counts();
    for (const count of this.#current) this.#define(count);
    this.#exporter.getMetricsRequestHandler(request, response);
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

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { TOP } from './run-command.js';

const VARIABLE = /\$\{env:(\w+)(?::-([^}]*))?\}/g;

/** `otel-collector.yaml` as the Collector reads it when no variable is set. */
export interface CollectorFile {
  readonly receivers: { readonly otlp: { readonly protocols: Readonly<Record<'grpc' | 'http', Endpoint>> } };
  readonly processors: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly exporters: Readonly<Record<string, Endpoint & Readonly<Record<string, unknown>>>>;
  readonly connectors: {
    readonly span_metrics: {
      readonly dimensions: readonly { readonly name: string }[];
      readonly histogram: { readonly unit: string; readonly explicit: { readonly buckets: readonly string[] } };
    };
  };
  readonly extensions: Readonly<Record<string, Endpoint>>;
  readonly service: {
    readonly extensions: readonly string[];
    readonly pipelines: Readonly<Record<string, Readonly<Record<'receivers' | 'processors' | 'exporters', string[]>>>>;
    readonly telemetry: { readonly metrics: { readonly readers: readonly TelemetryReader[] } };
  };
}

interface Endpoint {
  readonly endpoint: string;
}

interface TelemetryReader {
  readonly pull: { readonly exporter: { readonly prometheus: { readonly host: string; readonly port: number } } };
}

const text = readFileSync(join(TOP, 'otel-collector.yaml'), 'utf8');

export const collectorFile = parse(
  text.replace(VARIABLE, (_, _name: string, fallback?: string) => fallback ?? ''),
) as CollectorFile;

/** The variables the file reads, with their defaults; `undefined` where there is none. */
export const collectorVariables: ReadonlyMap<string, string | undefined> = new Map(
  [...text.matchAll(VARIABLE)].map(([, name = '', fallback]) => [name, fallback]),
);

export const spanMetricDimensions = collectorFile.connectors.span_metrics.dimensions.map(({ name }) => name);

/** Upper bounds of the histogram's buckets, in seconds. */
export const spanMetricBuckets = collectorFile.connectors.span_metrics.histogram.explicit.buckets.map(secondsOf);

function secondsOf(duration: string): number {
  const [, amount = '', unit = ''] = /^(\d+)(ms|s|m)$/.exec(duration) ?? [];
  const seconds = { ms: 0.001, s: 1, m: 60 }[unit];
  if (seconds === undefined) throw new Error(`${duration} is no duration of ms, s or m`);
  return Number(amount) * seconds;
}

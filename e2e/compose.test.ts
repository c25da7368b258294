import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { semconv } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { collectorFile, collectorVariables, spanMetricBuckets, spanMetricDimensions } from './collector-file.js';
import { TOP } from './run-command.js';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly ports: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[];
  readonly restart?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly mem_limit?: string;
}

const textOf = (path: string) => readFileSync(join(TOP, path), 'utf8');
const { services } = parse(textOf('docker-compose.yml')) as { services: Record<'jaeger' | 'collector', Service> };
const page = textOf('docs/jaeger.md');
const { jaeger, collector } = services;
/** Attributes that spans can have. */
const attributes = new Set<unknown>(Object.values(semconv));
const published = (service: Service) => service.ports.map((port) => Number(port.split(':').at(-1)));
const mebibytes = (size: string | undefined) => Number(/^(\d+)(?:m|MiB)$/.exec(size ?? '')?.[1]);

describe('docker-compose.yml', () => {
  it('pins images, and the page says which', () => {
    expect(Object.keys(services).sort()).toEqual(['collector', 'jaeger']);
    const [, jaegerVersion] = /^jaegertracing\/jaeger:(\d+\.\d+\.\d+)$/.exec(jaeger.image) ?? [];
    const [, collectorVersion] = /^otel\/opentelemetry-collector-contrib:(\d+\.\d+\.\d+)$/.exec(collector.image) ?? [];
    expect(page).toMatch(new RegExp(`^\\| Jaeger \\|.* ${jaegerVersion} \\|$`, 'm'));
    expect(page).toMatch(new RegExp(`^\\| OpenTelemetry Collector \\|.* ${collectorVersion} \\(contrib\\) \\|$`, 'm'));
  });

  it('publishes on the loopback interface alone, each port with a variable that the page names', () => {
    const ports = Object.values(services).flatMap((service) => service.ports);
    expect(ports).toHaveLength(6);
    for (const port of ports) {
      const [, variable, outside, inside] = /^127\.0\.0\.1:\$\{([A-Z_]+):-(\d+)\}:(\d+)$/.exec(port) ?? [];
      expect({ port, inside }).toEqual({ port, inside: outside });
      expect(page).toMatch(new RegExp(`^\\| ${outside} \\|.*\\| \`${variable}\` \\|$`, 'm'));
    }
  });

  it('starts again after a fault, the Collector after Jaeger', () => {
    expect([jaeger.restart, collector.restart]).toEqual(['unless-stopped', 'unless-stopped']);
    expect(collector.depends_on).toEqual(['jaeger']);
  });

  it('gives the Collector the file of this repository, read-only', () => {
    const [source = '', target, mode] = collector.volumes?.[0]?.split(':') ?? [];
    expect(source).toBe('./otel-collector.yaml');
    expect(existsSync(join(TOP, source))).toBe(true);
    expect(mode).toBe('ro');
    expect(collector.command).toEqual([`--config=${target}`]);
  });

  it('keeps the memory of the Collector within that of its container', () => {
    const { limit_mib, spike_limit_mib } = collectorFile.processors.memory_limiter ?? {};
    const soft = mebibytes(collector.environment?.GOMEMLIMIT);
    expect(soft).toBeLessThan(mebibytes(collector.mem_limit));
    expect(limit_mib).toBeLessThan(soft);
    expect(spike_limit_mib).toBeLessThan(limit_mib as number);
  });
});

describe('otel-collector.yaml', () => {
  const { grpc, http } = collectorFile.receivers.otlp.protocols;
  const telemetry = collectorFile.service.telemetry.metrics.readers[0]?.pull.exporter.prometheus;
  const listening = [
    grpc.endpoint,
    http.endpoint,
    collectorFile.exporters.prometheus?.endpoint,
    `${telemetry?.host}:${telemetry?.port}`,
    collectorFile.extensions.health_check?.endpoint,
  ];

  it('listens where docker-compose.yml publishes', () => {
    expect(listening).toEqual(published(collector).map((port) => `0.0.0.0:${port}`));
  });

  it('has a default for each variable, and docker-compose.yml sets none', () => {
    expect(collectorVariables.size).toBeGreaterThan(10);
    expect([...collectorVariables].filter(([, fallback]) => !fallback)).toEqual([]);
    expect(Object.keys(collector.environment ?? {}).filter((name) => collectorVariables.has(name))).toEqual([]);
  });

  it('sends to Jaeger by the name of its service, with retries and batches of the exporter', () => {
    const exporter = collectorFile.exporters['otlp_http/jaeger'];
    expect(exporter?.endpoint).toBe('http://jaeger:4318');
    expect(exporter?.retry_on_failure).toMatchObject({ enabled: true });
    expect(exporter?.sending_queue).toMatchObject({ enabled: true, batch: {} });
    expect(Object.keys(collectorFile.processors)).toEqual(['memory_limiter']);
  });

  it('limits memory first in every pipeline, and uses all it defines', () => {
    const pipelines = Object.values(collectorFile.service.pipelines);
    expect(Object.keys(collectorFile.service.pipelines)).toEqual(['traces', 'metrics', 'logs']);
    for (const { processors } of pipelines) expect(processors[0]).toBe('memory_limiter');
    const used = new Set(
      pipelines.flatMap(({ receivers, processors, exporters }) => [...receivers, ...processors, ...exporters]),
    );
    const { receivers, processors, exporters, connectors, extensions } = collectorFile;
    expect([...used].sort()).toEqual(Object.keys({ ...receivers, ...processors, ...exporters, ...connectors }).sort());
    expect(collectorFile.service.extensions).toEqual(Object.keys(extensions));
  });

  it('counts by attributes that spans have, and the page lists them', () => {
    const rows = [...page.matchAll(/^\| `([\w.]+)` \| `(\w+)` \|$/gm)].map(([, name, label]) => [name, label]);
    expect(rows).toEqual(spanMetricDimensions.map((name) => [name, name.replaceAll('.', '_')]));
    expect(spanMetricDimensions.filter((name) => !attributes.has(name))).toEqual([]);
    expect([spanMetricBuckets[0], spanMetricBuckets.at(-1)]).toEqual([0.1, 600]);
    expect(spanMetricBuckets).toEqual([...spanMetricBuckets].sort((a, b) => a - b));
  });
});

describe('docs/jaeger.md', () => {
  it('names the versions that the test builds', () => {
    const [, module] = /JAEGER_MODULE_VERSION:-(v[\d.]+)\}/.exec(textOf('e2e/bin/get-jaeger.sh')) ?? [];
    const { dist } = parse(textOf('e2e/bin/otelcol-builder.yaml')) as { dist: { version: string } };
    expect(page).toMatch(new RegExp(`^\\| Jaeger \\| 2\\.13\\.0 \\(Go module ${module}\\)`, 'm'));
    expect(page).toMatch(new RegExp(`^\\| OpenTelemetry Collector \\| ${dist.version},`, 'm'));
  });

  it('searches for attributes that spans have', () => {
    const tags = [...page.matchAll(/^\| `([\w.]+)=\w+` \|/gm)].map(([, name]) => name);
    expect(tags.length).toBeGreaterThan(5);
    expect(tags.filter((name) => !attributes.has(name))).toEqual([]);
  });
});

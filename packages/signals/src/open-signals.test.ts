import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createObserver, type ObserverOptions } from '@hermes-observer/otel';
import { describe, expect, it } from 'vitest';
import { ReadableMeters } from './metrics/metrics.test-support.js';

function turn(options: ObserverOptions, onWarning: (text: string) => void = () => {}) {
  const observer = createObserver({ exporters: [], onWarning, ...options });
  observer.hub.emit('pre_llm_call', { session_id: 's', turn_id: 't' });
  observer.hub.emit('pre_api_request', { session_id: 's', turn_id: 't', api_request_id: 'r', model: 'm' });
  observer.hub.emit('post_api_request', { session_id: 's', turn_id: 't', api_request_id: 'r' });
  observer.hub.emit('on_session_end', { session_id: 's', turn_id: 't', completed: true });
  return observer;
}

/** A receiver, and what it was sent. */
async function receiving(work: (url: string) => Promise<void>, status = 200) {
  const got: { path: string; type: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { url: path = '', headers } = request;
        got.push({ path, type: headers['content-type'], headers, body: Buffer.concat(chunks).toString('latin1') });
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.closeAllConnections();
  server.close();
  return got;
}

describe('metrics: true and logs: true', () => {
  it('go to where the variables say, the observer’s own figures too, at its end', async () => {
    for (const [protocol, type] of [
      [undefined, 'application/x-protobuf'],
      ['http/json', 'application/json'],
    ]) {
      const got = await receiving(async (url) => {
        const env = {
          OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/base`,
          OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: `${url}/my/logs`,
          OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20x',
          OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
          OTEL_SERVICE_NAME: 'planner',
        };
        await turn({ metrics: true, logs: true, env }).shutdown();
      });
      expect(got.map(({ path }) => path).sort()).toEqual(['/base/v1/metrics', '/my/logs']);
      expect(got.every((one) => one.type === type && one.headers.authorization === 'Basic x')).toBe(true);
      expect(got.every(({ body }) => body.includes('planner'))).toBe(true);
      const metrics = got.find(({ path }) => path.endsWith('metrics'))?.body ?? '';
      for (const name of ['gen_ai.client.inference.duration', 'otel.sdk.span.started']) expect(metrics).toContain(name);
    }
  });

  it('are sent by flush(), and not in the way when nobody is there', async () => {
    const got = await receiving(async (url) => {
      const observer = turn({ metrics: true, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
      await observer.flush();
      await observer.flush();
      await observer.shutdown();
    });
    expect(got.length).toBeGreaterThanOrEqual(3);
    const began = performance.now();
    await turn({ metrics: true, logs: true, env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } }).shutdown(500);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('are told of where the receiver refuses them, once, and lost log records by number', async () => {
    for (const [status, reason] of [
      [401, /\(HTTP 401\)\.$/],
      [404, /\(HTTP 404\); a Collector answers so where it has no such pipeline\.$/],
    ] as const) {
      const told: string[] = [];
      await receiving(async (url) => {
        const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
        const observer = turn({ metrics: true, logs: true, env }, (text) => told.push(text));
        await observer.flush();
        await observer.flush();
        await observer.shutdown();
      }, status);
      const of = (start: RegExp) => told.filter((text) => start.test(text));
      expect(of(/^metrics are not taken at .*\/v1\/metrics: /)).toEqual([expect.stringMatching(reason)]);
      expect(of(/^log records are not taken at .*\/v1\/logs: /)).toEqual([expect.stringMatching(reason)]);
      expect(of(/^log records that were lost on their way to .*\/v1\/logs: 1\.$/)).toHaveLength(1);
    }
  });

  it('do nothing where the variables say none, or that the SDK is off', async () => {
    const got = await receiving(async (url) => {
      const base = { OTEL_EXPORTER_OTLP_ENDPOINT: url };
      await turn({
        metrics: true,
        logs: true,
        env: { ...base, OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' },
      }).shutdown();
      await turn({ metrics: true, logs: true, env: { ...base, OTEL_SDK_DISABLED: 'true' } }).shutdown();
    });
    expect(got).toEqual([]);
  });

  it('tell what is wrong with a variable, and go on without', async () => {
    for (const env of [
      { OTEL_METRICS_EXPORTER: 'carbon' },
      { OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' },
      { OTEL_METRIC_EXPORT_INTERVAL: 'soon' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'nowhere' },
    ]) {
      const told: string[] = [];
      await turn({ metrics: true, env }, (text) => told.push(text)).shutdown();
      expect(told.some((text) => text.includes(Object.keys(env)[0] as string))).toBe(true);
    }
  });
});

describe('a provider of the application', () => {
  it('is flushed and not closed', async () => {
    const calls: string[] = [];
    const meters = new ReadableMeters();
    const metrics = {
      getMeter: meters.provider.getMeter.bind(meters.provider),
      forceFlush: async () => void calls.push('flush'),
      shutdown: async () => void calls.push('shutdown'),
    };
    const observer = turn({ metrics, env: {} });
    await observer.flush();
    await observer.shutdown();
    expect(calls).toEqual(['flush', 'flush']);
    expect(await meters.count('gen_ai.client.inference.duration')).toBe(1);
    expect(await meters.sum('otel.sdk.span.started')).toBe(2);
  });

  it('has the figures once when it is the meterProvider too', async () => {
    const meters = new ReadableMeters();
    await turn({ metrics: meters.provider, meterProvider: meters.provider, env: {} }).shutdown();
    expect((await meters.points('otel.sdk.span.started')).map(({ value }) => value)).toEqual([2]);
  });

  it('must be one, and does not go with a tracerProvider', () => {
    const wrong = (options: object) => () => createObserver({ env: {}, ...options });
    expect(wrong({ metrics: {} })).toThrow('metrics must be true, or a provider with getMeter()');
    expect(wrong({ logs: 'yes' })).toThrow('logs must be true, or a provider with getLogger()');
    const tracerProvider = { getTracer: () => ({}) };
    expect(wrong({ metrics: true, tracerProvider })).toThrow('@hermes-observer/signals');
  });
});

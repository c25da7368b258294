import { rmSync, truncateSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type HookRecord, parseRecord } from '@hermes-observer/core';
import { ObserverTracerProvider, observerResource, SpanBridge } from '@hermes-observer/otel';
import { CumulativeMeters, type LogRecord, logRecordsOf, MetricSpanProcessor } from '@hermes-observer/signals';
import { trace } from '@opentelemetry/api';
import type { ScopeMetrics } from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asAnother, batch, recording, Scene, until } from './scene.test-support.js';

const MIXED = [
  ...recording('m-background-delegation-one-child-tui'),
  ...recording('q-two-turns-then-close-and-new'),
  ...recording('n-delegate-nested-sync'),
  ...recording('e-tool-errors'),
];

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});
afterEach(() => scene.end());

const inFolder = (name: string) => join(scene.folder, 'service', name);
const value = (name: string) => scene.service?.counts().find((count) => count.name === name)?.value;

async function takeSlowly(lines: readonly string[]): Promise<void> {
  for (let i = 0; i < lines.length; i += 50) {
    await scene.service?.take(batch(lines.slice(i, i + 50)));
    const made = value('checkpoints') ?? 0;
    if (i % 100 === 0) await until(() => (value('checkpoints') ?? 0) > made);
  }
}

/** Metrics and log records of lines that are traced once, in one go. */
function inOneGo(lines: readonly string[]) {
  const meters = new CumulativeMeters([1, 0]);
  const memory = new InMemorySpanExporter();
  const bridge = new SpanBridge({
    tracerProvider: new ObserverTracerProvider({
      resource: observerResource(undefined, {}),
      spanProcessors: [new MetricSpanProcessor(meters, { isDeferred: false }), new SimpleSpanProcessor(memory)],
    }),
  });
  for (const line of lines) bridge.handleRecord(parseRecord(line).record as HookRecord);
  const logs = memory.getFinishedSpans().flatMap((span) => logRecordsOf(span as never));
  return { metrics: plain(meters.collect([2, 0])), logs: logs.map(nameOf).sort() };
}

const nameOf = ({ eventName, context, timestamp }: LogRecord) =>
  `${eventName} ${trace.getSpanContext(context)?.spanId} ${timestamp[0]}`;

const plain = (scope: ScopeMetrics | undefined) =>
  Object.fromEntries(
    (scope?.metrics ?? []).map(({ descriptor, dataPoints }) => [
      descriptor.name,
      Object.fromEntries(
        dataPoints.map(({ attributes, value: point }) => [JSON.stringify(attributes), rounded(point)]),
      ),
    ]),
  );

/** Sums of the same numbers in another order differ in their last digits. */
const rounded = (point: unknown): unknown =>
  JSON.parse(JSON.stringify(point), (_, each: unknown) => (typeof each === 'number' ? Number(each.toFixed(6)) : each));

describe('metrics of a service', () => {
  it.each([
    ['goes on where it was', () => {}],
    ['counts from the checkpoint before on', () => truncateSync(inFolder('checkpoint.json'), 99)],
    [
      'counts all that the journal has, without any checkpoint',
      () => {
        rmSync(inFolder('checkpoint.json'));
        rmSync(inFolder('checkpoint.before.json'));
      },
    ],
  ])('a restart %s, and no span counts twice or never', async (_, harm) => {
    const half = Math.floor(MIXED.length * 0.6);
    await scene.open({ metrics: {} });
    await takeSlowly(MIXED.slice(0, half));
    await scene.service?.stop();
    harm();
    const service = await scene.open({ metrics: {} });
    await service.take(batch(MIXED.slice(half)));
    await service.settled();
    const expected = inOneGo(MIXED).metrics;
    expect(Object.keys(expected).length).toBeGreaterThan(12);
    expect(plain(service.agentMetrics())).toEqual(expected);
    expect(service.agentMetrics()?.metrics.length).toBe(Object.keys(expected).length);
  });

  it('are not there without being asked for', async () => {
    const service = await scene.open();
    await service.take(batch(MIXED));
    await service.settled();
    expect(service.agentMetrics()).toBeUndefined();
  });
});

/** A receiver of OTLP that keeps bodies by path. */
class Receiver {
  readonly bodies: [path: string, body: Buffer, headers: Readonly<Record<string, unknown>>][] = [];
  status = 200;
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        if (this.status === 200) this.bodies.push([request.url ?? '', Buffer.concat(chunks), request.headers]);
        response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
      });
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

interface Log {
  readonly eventName: string;
  readonly spanId?: string;
  readonly traceId?: string;
  readonly timeUnixNano: string;
}

describe('over OTLP', () => {
  let receiver: Receiver;
  let url: string;
  beforeEach(async () => {
    receiver = new Receiver();
    url = await receiver.open();
  });
  afterEach(() => receiver.close());

  const logs = () =>
    receiver.bodies
      .filter(([path]) => path === '/v1/logs')
      .flatMap(([, body]) => JSON.parse(body.toString()).resourceLogs[0].scopeLogs[0].logRecords as Log[]);
  const names = () =>
    logs()
      .map(({ eventName, spanId, timeUnixNano }) => `${eventName} ${spanId} ${timeUnixNano.slice(0, -9)}`)
      .sort();

  it('metrics go out each interval, and a last time at the end', async () => {
    const target = { url: `${url}/v1/metrics`, headers: { authorization: 'Basic x' }, intervalMillis: 200 };
    const service = await scene.open({ metrics: { target } });
    await until(() => receiver.bodies.length > 1);
    await service.take(batch(MIXED));
    await service.stop();
    const last = receiver.bodies.at(-1)?.[1].toString('latin1') ?? '';
    for (const name of ['gen_ai.execute_tool.duration', 'hermes_observer.spans']) expect(last).toContain(name);
    expect(
      receiver.bodies.every(([path, , headers]) => path === '/v1/metrics' && headers.authorization === 'Basic x'),
    ).toBe(true);
  });

  it('an outage of each receiver is told once, with what to do', async () => {
    receiver.status = 404;
    const warnings: string[] = [];
    const target = { url: `${url}/v1/metrics`, intervalMillis: 100 };
    const service = await scene.open({
      metrics: { target },
      logs: { url: `${url}/v1/logs` },
      onWarning: (text) => warnings.push(text),
    });
    await service.take(batch(MIXED));
    const of = (part: string) => warnings.filter((text) => text.includes(part));
    await until(() => of('/v1/metrics').length > 0 && of('/v1/logs').length > 0);
    expect(of('/v1/metrics')).toEqual([
      expect.stringMatching(/HTTP 404\); a Collector answers so .* no pipeline of metrics/),
    ]);
    expect(of('/v1/logs')).toEqual([expect.stringContaining('; log records wait until it takes them')]);

    receiver.status = 200;
    await until(() => receiver.bodies.some(([path]) => path === '/v1/metrics'));
    receiver.status = 404;
    await until(() => of('/v1/metrics').length > 1);
    expect(of('/v1/metrics')).toHaveLength(2);
  });

  it('logs come once each, over a restart and while the receiver is away', async () => {
    const half = Math.floor(MIXED.length * 0.6);
    receiver.status = 503;
    await scene.open({ logs: { url: `${url}/v1/logs` } });
    await takeSlowly(MIXED.slice(0, half));
    await scene.service?.stop(1_500);
    receiver.status = 200;
    const service = await scene.open({ logs: { url: `${url}/v1/logs` } });
    await service.take(batch(MIXED.slice(half)));
    await service.settled();
    const expected = inOneGo(MIXED).logs;
    await until(() => logs().length >= expected.length);
    expect(names()).toEqual(expected);
    // The receiver has them a moment before its answer is here.
    await until(() => value('exported_logs') === expected.length);
  });

  it('a judgement becomes a record of the span that it is of, also after a restart', async () => {
    const lines = asAnother(recording('e-tool-errors'), '-j');
    const ids = lines.map((line) => JSON.parse(line).payload).find(({ turn_id }) => turn_id) as { turn_id: string };
    const judgement = (name: string, seq: number) =>
      JSON.stringify({
        hook: 'observer_evaluation',
        time_unix_nano: '1790000000000000000',
        producer: 'judge',
        seq,
        payload: { turn_id: ids.turn_id, name, score: 1, explanation: 'SECRET' },
      });
    await scene.open({ logs: { url: `${url}/v1/logs` } });
    await scene.service?.take(batch([...lines, judgement('first', 1)]));
    await scene.service?.settled();
    await scene.service?.stop();
    const service = await scene.open({ logs: { url: `${url}/v1/logs` } });
    await service.take(batch([judgement('second', 2)]));
    const results = () => logs().filter(({ eventName }) => eventName === 'gen_ai.evaluation.result');
    await until(() => results().length === 2);
    const details = logs().find(({ eventName }) => eventName === 'gen_ai.client.inference.operation.details');
    expect(results()[0]?.traceId).toBe(details?.traceId);
    expect(results()[1]).toMatchObject({ traceId: results()[0]?.traceId, spanId: results()[0]?.spanId });
    expect(Buffer.concat(receiver.bodies.map(([, body]) => body)).toString()).not.toContain('SECRET');
  });
});

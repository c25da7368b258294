import { runInNewContext } from 'node:vm';
import { Hub } from '@hermes-observer/core';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, BatchSpanProcessor, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ReadableSpan, SpanExporter } from '../sdk/types.js';
import { createObserver } from './create-observer.js';
import type { Observer } from './observer.js';
import type { ObserverOptions } from './options.js';

const open: Observer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((observer) => observer.shutdown(200)));
});

function make(options: ObserverOptions): { observer: Observer; warnings: string[] } {
  const warnings: string[] = [];
  const observer = createObserver({ env: {}, onWarning: (text) => void warnings.push(text), ...options });
  open.push(observer);
  return { observer, warnings };
}

function emitTurn({ hub }: Observer, turn_id = 't1', more: Record<string, unknown> = {}): void {
  hub.emit('pre_llm_call', { session_id: 's', turn_id, user_message: 'SECRET' });
  hub.emit('on_session_end', { session_id: 's', turn_id, completed: true, ...more });
}

/** An exporter that hands all it gets to `take`. */
const exporter = (take: SpanExporter['export']): SpanExporter => ({ export: take, shutdown: async () => {} });
const taking = (spans: ReadableSpan[]) =>
  exporter((batch, done) => {
    spans.push(...batch);
    done({ code: 0 });
  });

/** What rejects and is no plain promise of this realm; each time anew. */
const REJECTING: [string, () => unknown][] = [
  // biome-ignore lint/suspicious/noThenProperty: what others pass may well have one
  ['a thenable', () => ({ then: (_: unknown, refuse: (error: Error) => void) => refuse(new Error('no')) })],
  ['a promise of another realm', () => runInNewContext("Promise.reject(new Error('no'))")],
  [
    'a promise with a broken catch',
    () =>
      Object.assign(Promise.reject(new Error('no')), {
        catch: () => {
          throw new Error('catch');
        },
      }),
  ],
];

describe('an exporter', () => {
  const refuses = async () => {
    throw new Error('broken');
  };
  it.each([
    ...REJECTING.map(([name, make]): [string, SpanExporter] => [`returns ${name}`, exporter(make as never)]),
    ['rejects', exporter(refuses as unknown as SpanExporter['export'])],
    ['calls back with nothing', exporter((_, done) => void setTimeout(() => (done as () => void)(), 1))],
    ['calls back with null', exporter((_, done) => void setTimeout(() => done(null as never), 1))],
    ['calls back with another thing', exporter((_, done) => done({ code: 'yes' } as never))],
  ])('that %s costs its spans, which are counted', async (_name, broken) => {
    const { observer, warnings } = make({ exporters: [broken] });
    emitTurn(observer);
    await observer.flush();
    expect(observer.counts).toMatchObject({ exportedSpans: 0, failedSpans: 1 });
    expect(warnings).toHaveLength(1);
  });

  it('that wraps another in a field of that name is the one that is called', async () => {
    const spans: ReadableSpan[] = [];
    const wrapper = { exporter: taking([]), ...taking(spans) };
    const { observer } = make({ exporters: [wrapper] });
    emitTurn(observer);
    await observer.flush();
    expect(spans).toHaveLength(1);
  });
});

describe('beforeExport', () => {
  it.each([
    ['rejects', (async () => Promise.reject(new Error('no'))) as never],
    ['is async', (async (span: ReadableSpan) => span) as never],
    ...REJECTING.map(([name, make]): [string, never] => [`returns ${name}`, make as never]),
    ['gives another thing', (() => 5) as never],
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
  ])('that %s leaves spans out, and says so', async (_name, beforeExport) => {
    const spans: ReadableSpan[] = [];
    const { observer, warnings } = make({ exporters: [taking(spans)], beforeExport });
    emitTurn(observer);
    await observer.shutdown();
    expect(spans).toEqual([]);
    expect(observer.counts).toMatchObject({ exportedSpans: 0, leftOutSpans: 1, failedSpans: 0 });
    expect(warnings.join()).toContain('beforeExport failed');
    expect(warnings.join()).toContain('left all of them out');
  });

  it.each([['a promise', async () => Promise.reject(new Error('no'))] as [string, () => unknown], ...REJECTING])(
    'whose warning rejects by %s changes nothing',
    async (_name, onWarning) => {
      const { observer } = make({
        exporters: [taking([])],
        beforeExport: () => {
          throw new Error('no');
        },
        onWarning: onWarning as never,
      });
      emitTurn(observer);
      await observer.flush();
      expect(observer.counts.leftOutSpans).toBe(1);
    },
  );
});

describe('content of an exporter of its own', () => {
  it('is out of every place that says a text', async () => {
    const spans: ReadableSpan[] = [];
    const { observer } = make({ capture: 'full', exporters: [{ exporter: taking(spans), capture: 'none' }] });
    const { hub } = observer;
    const ids = { session_id: 's', turn_id: 't1' };
    hub.emit('pre_llm_call', { ...ids, user_message: 'SECRET' });
    hub.emit('pre_api_request', { ...ids, api_request_id: 'r', model: 'm' });
    hub.emit('post_api_request', { ...ids, api_request_id: 'r', finish_reason: 'SECRET is out' });
    hub.emit('pre_approval_request', { ...ids, surface: 'cli', pattern_key: 'rm' });
    hub.emit('post_approval_response', { ...ids, surface: 'cli', pattern_key: 'rm', choice: 'SECRET is out' });
    hub.emit('on_session_end', { ...ids, completed: false, failed: true, turn_exit_reason: 'SECRET is out' });
    await observer.flush();
    expect(spans).toHaveLength(3);
    expect(JSON.stringify(spans.map((span) => ({ ...span, resource: undefined })))).not.toContain('SECRET');
  });
});

it('flush and shutdown do not reject for an error that cannot be read', async () => {
  const unreadable = Object.defineProperty(new Error('no'), 'message', {
    get() {
      throw new Error('hostile');
    },
  });
  const { observer, warnings } = make({ exporters: [exporter((_, done) => done({ code: 1, error: unreadable }))] });
  emitTurn(observer);
  await observer.flush();
  await observer.shutdown();
  expect(observer.counts).toMatchObject({ failedSpans: 1, openSpans: 0 });
  expect(warnings).toContain('1 span was not exported: no readable reason given');
});

describe('the time of flush and shutdown', () => {
  const never = () => ({ export: () => {}, shutdown: vi.fn(async () => {}) });

  it('is one bound for all of shutdown; then the rest is counted and the exporter closed', async () => {
    const stuck = never();
    const { observer } = make({ exporters: [stuck] });
    for (let n = 0; n < 600; n++) emitTurn(observer, `t${n}`);
    const began = performance.now();
    await observer.shutdown(300);
    expect(performance.now() - began).toBeLessThan(580);
    expect(observer.counts).toMatchObject({ exportedSpans: 0, failedSpans: 600, droppedSpans: 0 });
    await vi.waitFor(() => expect(stuck.shutdown).toHaveBeenCalledOnce());
  });

  it.each([Number.POSITIVE_INFINITY, 3e9, Number.NaN])('of %s is long enough', async (timeoutMillis) => {
    const slow = exporter((_, done) => void setTimeout(() => done({ code: 0 }), 30));
    const { observer } = make({ exporters: [slow], timeoutMillis, env: { OTEL_BSP_EXPORT_TIMEOUT: '1e12' } });
    emitTurn(observer);
    await observer.shutdown();
    expect(observer.counts).toMatchObject({ exportedSpans: 1, failedSpans: 0 });
  });

  it('of flush ends with what had ended at its call, however much comes after', async () => {
    const slow = exporter((_, done) => void setTimeout(() => done({ code: 0 }), 20));
    const { observer } = make({ exporters: [slow], env: { OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5' } });
    let n = 0;
    const load = setInterval(() => {
      for (let i = 0; i < 5; i++) emitTurn(observer, `t${n++}`);
    }, 5);
    await new Promise((resolve) => setTimeout(resolve, 40));
    const ended = n;
    const began = performance.now();
    await observer.flush(5_000);
    clearInterval(load);
    expect(performance.now() - began).toBeLessThan(2_500);
    expect(observer.counts.exportedSpans).toBeGreaterThanOrEqual(ended);
  });

  it.each(['0.5', '1e-9', '-3', 'abc'])('does not depend on a queue of %s spans', async (size) => {
    const spans: ReadableSpan[] = [];
    const env = { OTEL_BSP_MAX_QUEUE_SIZE: size, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: size };
    const { observer } = make({ exporters: [taking(spans)], env });
    emitTurn(observer);
    await observer.flush();
    expect(spans).toHaveLength(1);
  });
});

describe('a provider that was passed', () => {
  it('is asked to flush, and stays open', async () => {
    const memory = new InMemorySpanExporter();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(memory)] });
    const { observer } = make({ tracerProvider });
    emitTurn(observer);
    await observer.flush();
    expect(memory.getFinishedSpans()).toHaveLength(1);
    emitTurn(observer, 't2');
    await observer.shutdown();
    expect(memory.getFinishedSpans()).toHaveLength(2);
    await tracerProvider.shutdown();
  });
});

describe('an observer that was shut down', () => {
  it('leaves nothing on a hub it shared', async () => {
    const hub = new Hub();
    const { observer } = make({ hub, exporters: [taking([])] });
    await observer.shutdown();
    expect(hub.has('on_session_end')).toBe(false);
  });

  it('makes room for another global one', async () => {
    const spans: ReadableSpan[] = [];
    const first = make({ global: true, exporters: [taking([])] });
    await first.observer.shutdown();
    const second = make({ global: true, exporters: [taking(spans)] });
    trace.getTracer('app').startSpan('own').end();
    await second.observer.shutdown();
    expect([first.warnings, second.warnings]).toEqual([[], []]);
    expect(spans.map(({ name }) => name)).toEqual(['own']);
  });
});

describe('a wrong variable', () => {
  it.each<[string, Record<string, string>]>([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'not a url' }],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
    ['OTEL_TRACES_EXPORTER', { OTEL_TRACES_EXPORTER: 'jaeger' }],
  ])('is told of and keeps no agent from starting: %s', async (name, env) => {
    const { observer, warnings } = make({ env });
    emitTurn(observer);
    await observer.shutdown();
    expect(warnings.filter((text) => text.includes(name)).length).toBeGreaterThan(0);
    expect(warnings.at(-1)).toContain('no span of it was exported');
  });

  it('leaves the default in its place: OTEL_TRACES_SAMPLER', async () => {
    const spans: ReadableSpan[] = [];
    const { observer, warnings } = make({ exporters: [taking(spans)], env: { OTEL_TRACES_SAMPLER: 'nope' } });
    emitTurn(observer);
    await observer.shutdown();
    expect(spans).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('OTEL_TRACES_SAMPLER is nope')]);
  });
});

describe('a wrong option', () => {
  it.each<[string, unknown]>([
    ['capture', { capture: 'None' }],
    ['capture of an exporter', { capture: 'full', exporters: [{ exporter: taking([]), capture: 'all' }] }],
    ['exporters', { exporters: [undefined] }],
    ['exporters', { exporters: {} }],
    ['exporters', { exporters: ['otlp'] }],
    ['exporters', { exporters: [{}] }],
    ['processors', { processors: [undefined] }],
    ['processors', { processors: [{}] }],
    ['sampler', { sampler: 'always_on' }],
    ['hub', { hub: {} }],
    ['tracerProvider', { tracerProvider: {} }],
    ['beforeExport', { beforeExport: 5 }],
    ['maxOpenTurnsPerSession', { limits: { maxOpenTurnsPerSession: -1 } }],
    ['serviceNam', { serviceNam: 'x' }],
    ['serviceName', { serviceNam: 'x' }],
    ['agentName', { agentName: 5 }],
    ['timeoutMillis', { timeoutMillis: 'a' }],
    ['attributes', { attributes: 'a=b' }],
    ['caller', { caller: 'child' }],
  ])('is refused and named: %s', (name, options) => {
    expect(() => createObserver(options as ObserverOptions)).toThrow(
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(name) }),
    );
  });

  it('is none where OTEL_SDK_DISABLED leaves it unused', () => {
    expect(() => make({ env: { OTEL_SDK_DISABLED: 'true', OTEL_TRACES_SAMPLER: 'junk' } })).not.toThrow();
  });
});

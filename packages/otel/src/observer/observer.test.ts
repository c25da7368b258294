import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Hub } from '@hermes-observer/core';
import { type Attributes, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { createObserver } from './create-observer.js';
import type { Observer } from './observer.js';
import type { ObserverOptions } from './options.js';

const open: Observer[] = [];
const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((observer) => observer.shutdown(200)));
  for (const server of servers.splice(0)) server.closeAllConnections();
});

function make(options: ObserverOptions): { observer: Observer; warnings: string[] } {
  const warnings: string[] = [];
  const observer = createObserver({ env: {}, onWarning: (text) => warnings.push(text), ...options });
  open.push(observer);
  return { observer, warnings };
}

/** One turn with a tool call, as an agent's hooks tell it. */
function emitTurn({ hub }: Observer, turn_id = 't1'): void {
  const ids = { session_id: 's', task_id: 's', turn_id };
  hub.emit('pre_llm_call', { ...ids, user_message: 'secret question of a@b.example' });
  hub.emit('pre_tool_call', { ...ids, tool_name: 'terminal', tool_call_id: 'c', args: { command: 'secret command' } });
  hub.emit('post_tool_call', {
    ...ids,
    tool_name: 'terminal',
    tool_call_id: 'c',
    status: 'error',
    error_type: 'E',
    error_message: 'secret message',
  });
  hub.emit('on_session_end', { ...ids, completed: true, turn_exit_reason: 'done(secret words)' });
}

async function receiver(answer: number): Promise<{ url: string; bodies: string[] }> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push(body);
      if (answer > 0) response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies };
}

class Memory extends InMemorySpanExporter {
  /** The stock one forgets its spans when it is shut down. */
  override shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

describe('where spans go', () => {
  it('is the endpoint of the standard environment, and flush waits until they are there', async () => {
    const { url, bodies } = await receiver(200);
    const { observer, warnings } = make({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
        OTEL_SERVICE_NAME: 'my-agent',
        OTEL_RESOURCE_ATTRIBUTES: 'team=a',
      },
    });
    emitTurn(observer);
    await observer.flush();
    const body = bodies.join('');
    expect(body).toContain('"invoke_agent hermes"');
    expect(body).toContain('my-agent');
    expect(body).toContain('"team"');
    expect(observer.counts).toEqual({
      exportedSpans: 2,
      leftOutSpans: 0,
      redactedByKind: {},
      redactedValues: 0,
      failedSpans: 0,
      failedByReason: {},
      droppedSpans: 0,
      cutSpans: 0,
      retries: 0,
      openSpans: 0,
    });
    expect(warnings).toEqual([]);
  });

  it('are the exporters given, and processors see every start and end', async () => {
    const exporter = new Memory();
    const seen: string[] = [];
    const processor = {
      onStart: (span: { setAttribute(name: string, value: string): unknown }) => void span.setAttribute('mine', 'yes'),
      onEnd: (span: ReadableSpan) => void seen.push(span.name),
      forceFlush: async () => {},
      shutdown: async () => {},
    };
    const { observer } = make({
      exporters: [exporter],
      processors: [processor],
      attributes: { 'deployment.environment.name': 'test' },
      agentName: 'scout',
    });
    emitTurn(observer);
    await observer.flush();
    expect(seen).toEqual(['execute_tool terminal', 'invoke_agent scout']);
    const attributes = exporter.getFinishedSpans().map((span) => span.attributes);
    for (const own of attributes) expect(own).toMatchObject({ mine: 'yes', 'deployment.environment.name': 'test' });
  });

  it('is the provider given, with its own ids', () => {
    const exporter = new Memory();
    const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const { observer } = make({ tracerProvider });
    emitTurn(observer);
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
      'execute_tool terminal',
      'invoke_agent hermes',
    ]);
  });

  it('is nowhere when OTEL_SDK_DISABLED is true, and says so', async () => {
    const exporter = new Memory();
    const { observer, warnings } = make({ exporters: [exporter], env: { OTEL_SDK_DISABLED: 'true' } });
    emitTurn(observer);
    await observer.shutdown();
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(warnings).toEqual(['A turn ended and no span of it was exported: OTEL_SDK_DISABLED is true.']);
  });
});

describe('content', () => {
  const texts = (exporter: Memory) =>
    JSON.stringify(
      exporter.getFinishedSpans().map(({ attributes, status, events }) => ({ attributes, status, events })),
    );

  it('is what each exporter may see', async () => {
    const [full, redacted, none] = [new Memory(), new Memory(), new Memory()];
    const { observer } = make({
      capture: 'full',
      exporters: [full, { exporter: redacted, capture: 'redacted' }, { exporter: none, capture: 'none' }],
    });
    emitTurn(observer);
    await observer.flush();
    expect(texts(full)).toContain('a@b.example');
    expect(texts(full)).toContain('secret message');
    expect(texts(redacted)).not.toContain('a@b.example');
    expect(texts(redacted)).toContain('secret command');
    expect(texts(none)).not.toContain('secret');
    expect(none.getFinishedSpans().map(({ name }) => name)).toEqual(full.getFinishedSpans().map(({ name }) => name));
  });

  it('is off unless asked for', async () => {
    const exporter = new Memory();
    const { observer } = make({ exporters: [exporter] });
    emitTurn(observer);
    await observer.flush();
    expect(texts(exporter)).not.toContain('secret');
  });
});

describe('beforeExport', () => {
  it('changes spans, leaves them out, and leaves out what it fails on', async () => {
    const exporter = new Memory();
    const { observer, warnings } = make({
      exporters: [exporter],
      beforeExport: (span) => {
        if (span.attributes['hermes.turn.id'] === 'bad') throw new Error('no');
        return span.name.startsWith('execute_tool') ? null : span;
      },
    });
    emitTurn(observer);
    emitTurn(observer, 'bad');
    await observer.flush();
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual(['invoke_agent hermes']);
    expect(warnings).toHaveLength(1);
  });
});

describe('a faulty exporter', () => {
  const faults: [string, SpanExporter['export']][] = [
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['fails', (_spans, done) => done({ code: 1, error: new Error('broken') })],
    [
      'answers twice',
      (_spans, done) => {
        done({ code: 1, error: new Error('broken') });
        done({ code: 0 });
      },
    ],
  ];

  it.each(faults)('that %s costs its spans, which are counted, and one warning', async (_name, run) => {
    const { observer, warnings } = make({ exporters: [{ export: run, shutdown: async () => {} }] });
    emitTurn(observer);
    emitTurn(observer, 't2');
    await observer.shutdown();
    expect(observer.counts).toMatchObject({ exportedSpans: 0, failedSpans: 4 });
    expect(warnings).toEqual(['4 spans were not exported: broken']);
  });

  it('that never answers holds up shutdown no longer than its bound', async () => {
    const { observer, warnings } = make({ exporters: [{ export: () => {}, shutdown: () => new Promise(() => {}) }] });
    emitTurn(observer);
    const began = performance.now();
    await observer.shutdown(150);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(observer.counts).toMatchObject({ exportedSpans: 0, failedSpans: 2 });
    const late = 'the exporter had not answered when the observer was shut down';
    expect(warnings).toEqual([`2 spans were not exported: ${late}`]);
  });

  it.each([
    ['is closed while the exporter waits for its next try', (observer: Observer) => observer.shutdown(100)],
    ['has nothing left to do', (observer: Observer) => observer.flush(10_000, true)],
  ])('of HTTP that nobody can reach is told of with its reason, soon, where the program %s', async (_how, end) => {
    const { observer, warnings } = make({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' } });
    emitTurn(observer);
    const began = performance.now();
    await end(observer);
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(warnings).toEqual([
      expect.stringMatching(/^2 spans .*127.0.0.1:1\/v1\/traces cannot be reached: .*REFUSED/),
    ]);
    await observer.shutdown(0);
  });

  it('of HTTP that refuses is told of with its reason', async () => {
    const { url } = await receiver(400);
    const { observer, warnings } = make({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
    emitTurn(observer);
    await observer.shutdown();
    expect(warnings).toEqual([expect.stringMatching(/^2 spans were not exported: .*400/)]);
  });
});

describe('silence', () => {
  it('of a provider that is a no-op is told of', async () => {
    const { observer, warnings } = make({ tracerProvider: trace.getTracerProvider() });
    emitTurn(observer);
    await observer.shutdown();
    expect(warnings[0]).toContain('makes no recording spans');
  });

  it('of OTEL_TRACES_EXPORTER=none is as somebody wants it; of lists without an exporter it is not', async () => {
    for (const [options, expected] of [
      [{ env: { OTEL_TRACES_EXPORTER: 'none' } }, []],
      [{ exporters: [] }, ['A turn ended and no span of it was exported: there is no exporter and no processor.']],
    ] as const) {
      const { observer, warnings } = make(options);
      emitTurn(observer);
      await observer.shutdown();
      expect(warnings).toEqual(expected);
    }
  });

  it('is none where no turn ended', async () => {
    const { observer, warnings } = make({ exporters: [] });
    observer.hub.emit('on_session_start', { session_id: 's' });
    await observer.shutdown();
    expect(warnings).toEqual([]);
  });
});

describe('the caller of the program', () => {
  it('is the parent of its first turn only', async () => {
    const exporter = new Memory();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { observer } = make({ exporters: [exporter], env: { TRACEPARENT: traceparent } });
    emitTurn(observer, 'first');
    emitTurn(observer, 'later');
    await observer.flush();
    const roots = exporter.getFinishedSpans().filter(({ name }) => name === 'invoke_agent hermes');
    expect(roots.map((span) => span.parentSpanContext?.spanId)).toEqual(['b7ad6b7169203331', undefined]);
  });
});

describe('contextOf', () => {
  it('is the context of a turn and of a tool call, while they are known', () => {
    const { observer } = make({ exporters: [] });
    const ids = { session_id: 's', turn_id: 't1' };
    observer.hub.emit('pre_llm_call', ids);
    observer.hub.emit('pre_tool_call', { ...ids, tool_name: 'x', tool_call_id: 'c' });
    const spanOf = (found: ReturnType<Observer['contextOf']>) =>
      found === undefined ? undefined : (trace.getSpan(found) as unknown as ReadableSpan).name;
    expect(spanOf(observer.contextOf({ turnId: 't1' }))).toBe('invoke_agent hermes');
    expect(spanOf(observer.contextOf({ turnId: 't1', toolCallId: 'c' }))).toBe('execute_tool x');
    expect(observer.contextOf({ turnId: 'unknown' })).toBeUndefined();
  });
});

describe('shutdown', () => {
  it('ends what is open as incomplete, exports it, and is done once', async () => {
    const exporter = new Memory();
    const { observer } = make({ exporters: [exporter] });
    observer.hub.emit('pre_llm_call', { session_id: 's', turn_id: 't1' });
    await Promise.all([observer.shutdown(), observer[Symbol.asyncDispose]()]);
    const reasons = exporter.getFinishedSpans().map((span): Attributes => span.attributes);
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toMatchObject({ 'hermes.incomplete.reason': 'shutdown' });
    observer.hub.emit('pre_llm_call', { session_id: 's', turn_id: 't2' });
    expect(observer.counts.openSpans).toBe(0);
  });

  it('that a callback asks for comes after what was told before', async () => {
    const exporter = new InMemorySpanExporter();
    const { observer } = make({ exporters: [exporter] });
    const spans: ReadableSpan[] = [];
    const { hub } = observer;
    let closed: Promise<void> | undefined;
    hub.on('on_session_end', () => {
      closed ??= observer.shutdown().then(() => undefined);
    });
    const take = exporter.export.bind(exporter);
    exporter.export = (batch, done) => {
      spans.push(...batch);
      take(batch, done);
    };
    for (const turn_id of ['t1', 't2']) {
      const ids = { session_id: turn_id, turn_id };
      hub.emitLater('pre_llm_call', () => ids);
      hub.emitLater('pre_tool_call', () => ({ ...ids, tool_name: 'x', tool_call_id: 'c' }));
      hub.emitLater('post_tool_call', () => ({ ...ids, tool_name: 'x', tool_call_id: 'c', status: 'ok' }));
      hub.emitLater('on_session_end', () => ({ ...ids, completed: true }));
    }
    hub.deliverWaiting();
    await closed;
    expect(spans.filter(({ attributes }) => attributes['hermes.incomplete'] === true)).toEqual([]);
    expect(spans.map(({ name }) => name).sort()).toEqual([
      'execute_tool x',
      'execute_tool x',
      'invoke_agent hermes',
      'invoke_agent hermes',
    ]);
  });

  it('a turn that begins after it is told of once, unless another observer may have it', async () => {
    const hub = new Hub();
    for (const [options, told] of [
      [{}, 1],
      [{ hub }, 0],
    ] as const) {
      const warnings: string[] = [];
      const observer = createObserver({ exporters: [], env: {}, onWarning: (text) => warnings.push(text), ...options });
      await observer.shutdown();
      for (const turn_id of ['t1', 't2']) observer.hub.emit('pre_llm_call', { session_id: 's', turn_id });
      expect(warnings.filter((text) => text.includes('after shutdown()'))).toHaveLength(told);
    }
  });
});

import { HookMeta, type Payload, type TraceContext } from '@hermes-observer/core';
import { type Context, propagation, type Span, type Tracer, type TracerProvider, trace } from '@opentelemetry/api';
import { BasicTracerProvider, type ReadableSpan, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { SpanBridge, type SpanBridgeOptions } from '../bridge/span-bridge.js';
import { DumpProcessor, dumpSpan, Replay, treeFaults } from '../bridge/span-dump.test-support.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const caller: TraceContext = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'v=1', baggage: 'tenant=7' };
const ids = { turn_id: 't', session_id: 's' };

function give(bridge: SpanBridge, calls: readonly [string, Payload][], traceContext?: TraceContext): void {
  for (const [i, [hook, payload]] of calls.entries()) {
    bridge.handle(payload, new HookMeta(hook, [i + 1, 0], 'p', i + 1, traceContext));
  }
  bridge.closeAll();
}

const tool = { ...ids, tool_call_id: 'c', tool_name: 'x' };
const turn: [string, Payload][] = [
  ['pre_llm_call', ids],
  ['pre_tool_call', tool],
  ['post_tool_call', { ...tool, status: 'ok' }],
  ['on_session_end', { ...ids, completed: true }],
  ['pre_tool_call', { ...tool, tool_call_id: 'late' }],
];

function dump(
  options: { caller?: 'parent' | 'link' } = {},
  calls = turn,
  traceContext: TraceContext | undefined = caller,
) {
  const run = new Replay(options);
  give(run.bridge, calls, traceContext);
  return { run, root: run.spans.find((span) => span.name.startsWith('invoke_agent')), spans: run.spans };
}

describe('the caller of a turn', () => {
  it('is the parent of its root, in the same trace', () => {
    const { root, spans } = dump();
    expect(root).toMatchObject({ trace: TRACE, parent: SPAN, remoteParent: true, links: [] });
    expect(new Set(spans.map((span) => span.trace))).toEqual(new Set([TRACE]));
  });

  it('is a link instead, as an option, in a trace of its own', () => {
    const { root } = dump({ caller: 'link' });
    expect(root).toMatchObject({
      parent: undefined,
      links: [{ trace: TRACE, id: SPAN, attributes: { 'hermes.link': 'caller' } }],
    });
    expect(root?.trace).not.toBe(TRACE);
  });

  it.each(['parent', 'link'] as const)('is ignored when it is malformed: %s', (how) => {
    const { root } = dump({ caller: how }, turn, { traceparent: 'x' });
    expect(root).toMatchObject({ parent: undefined, links: [] });
  });
});

describe('links', () => {
  it('go to the previous turn, and keep their relation', () => {
    const { spans } = dump(
      {},
      [
        ['pre_llm_call', ids],
        ['on_session_end', ids],
        ['pre_llm_call', { ...ids, turn_id: 't2' }],
      ],
      {},
    );
    const [first, second] = spans;
    expect(second?.links).toEqual([
      { trace: first?.trace, id: first?.id, attributes: { 'hermes.link': 'previous_turn' } },
    ]);
  });

  it('go to the caller and the previous turn alike', () => {
    const { spans } = dump({ caller: 'link' }, [
      ['pre_llm_call', ids],
      ['pre_llm_call', { ...ids, turn_id: 't2' }],
    ]);
    const links = spans.map((span) =>
      span.links.map(({ attributes }) => (attributes as Record<string, string>)['hermes.link']),
    );
    expect(links.sort((a, b) => a.length - b.length)).toEqual([['caller'], ['previous_turn', 'caller']]);
  });
});

/** The baggage that a processor sees at each start, by span name. */
class BaggageProbe extends DumpProcessor {
  readonly seen: [string, string | undefined][] = [];

  override onStart(span: ReadableSpan, context?: Context): void {
    super.onStart(span);
    this.seen.push([span.name, context && propagation.getBaggage(context)?.getEntry('tenant')?.value]);
  }
}

describe('the caller’s baggage', () => {
  const providers: [string, (processor: SpanProcessor) => TracerProvider][] = [
    ['our provider', (processor) => new ObserverTracerProvider({ spanProcessors: [processor] })],
    ['the SDK’s provider', (processor) => new BasicTracerProvider({ spanProcessors: [processor] })],
  ];
  it.each(providers)('stands in the parent context of every span, late ones included: %s', (_, make) => {
    for (const how of ['parent', 'link'] as const) {
      const probe = new BaggageProbe();
      give(new SpanBridge({ tracerProvider: make(probe), caller: how }), turn, caller);
      expect(probe.seen).toEqual([
        ['invoke_agent hermes', '7'],
        ['execute_tool x', '7'],
        ['execute_tool x', '7'],
      ]);
    }
  });
});

const hostile = (fields: Record<string, unknown>, ...keys: string[]): Payload => {
  const made = { ...fields };
  for (const key of keys) {
    Object.defineProperty(made, key, {
      enumerable: true,
      get() {
        throw new Error(`hostile ${key}`);
      },
    });
  }
  return made;
};

describe('a hostile payload', () => {
  it.each(['none', 'redacted', 'full'] as const)(
    'does not keep its spans from starting and ending: capture %s',
    (capture) => {
      const run = new Replay({ capture });
      give(run.bridge, [
        ['pre_llm_call', hostile(ids, 'model', 'user_message', 'platform')],
        ['pre_api_request', hostile({ ...ids, api_request_id: 'r', model: 'm' }, 'base_url', 'request', 'max_tokens')],
        [
          'post_api_request',
          hostile({ ...ids, api_request_id: 'r', finish_reason: 'stop' }, 'usage', 'response', 'response_model'),
        ],
        ['pre_tool_call', hostile(tool, 'args')],
        ['post_tool_call', hostile({ ...tool, status: 'error' }, 'error_message', 'duration_ms', 'result')],
        ['on_session_end', hostile({ ...ids, failed: true }, 'error_message')],
      ]);
      expect(treeFaults(run)).toEqual([]);
      const names = run.spans.map(({ name, status }) => [name, (status as { code: number }).code]);
      expect(names).toEqual([
        ['chat m', 0],
        ['execute_tool x', 2],
        ['invoke_agent hermes', 2],
      ]);
    },
  );

  it('keeps the good fields beside a bad one', () => {
    const run = new Replay();
    const usage = { prompt_tokens: 3 };
    give(run.bridge, [
      ['pre_api_request', { ...ids, api_request_id: 'r', model: 'm' }],
      ['post_api_request', hostile({ ...ids, api_request_id: 'r', usage, finish_reason: 'stop' }, 'response_model')],
    ]);
    const chat = run.spans.find(({ name }) => name === 'chat m');
    expect(chat?.attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.response.finish_reasons': ['stop'],
    });
  });

  it('whose content has no JSON form costs that content only', () => {
    const run = new Replay({ capture: 'full' });
    give(run.bridge, [
      [
        'pre_api_request',
        { ...ids, model: 'm', system_prompt: 'be kind', request_messages: [{ role: 'user', content: [10n] }] },
      ],
    ]);
    expect(run.spans.find(({ name }) => name === 'chat m')?.attributes).toMatchObject({
      'gen_ai.system_instructions': expect.any(String),
    });
  });
});

type SpanMethod = 'setAttributes' | 'addEvent' | 'setStatus' | 'end' | 'spanContext' | 'isRecording';
const METHODS: SpanMethod[] = ['setAttributes', 'addEvent', 'setStatus', 'end', 'spanContext', 'isRecording'];

const boom = () => {
  throw new Error('tracer');
};

/** A tracer whose spans throw in one method. */
function spoiledProvider(inner: TracerProvider, method: SpanMethod | 'startSpan'): TracerProvider {
  return {
    getTracer: (...args) => {
      const tracer = inner.getTracer(...args);
      return {
        startSpan(...start: Parameters<Tracer['startSpan']>): Span {
          if (method === 'startSpan') boom();
          return new Proxy(tracer.startSpan(...start), {
            get(target, key) {
              if (key === method) return boom;
              const value: unknown = Reflect.get(target, key);
              return typeof value === 'function' ? value.bind(target) : value;
            },
          });
        },
      } as Tracer;
    },
  };
}

const failing: [string, Payload][] = [
  ['pre_llm_call', ids],
  ['pre_api_request', { ...ids, api_request_id: 'r' }],
  ['api_request_error', { ...ids, api_request_id: 'r', error: { type: 'E' } }],
  ['pre_tool_call', tool],
  ['observer_policy_decision', tool],
  ['post_tool_call', { ...tool, status: 'error' }],
  ['on_session_end', { ...ids, failed: true }],
];

describe('a tracer that throws', () => {
  it.each(['startSpan', ...METHODS] as const)('reaches nobody: %s', (method) => {
    const errors: unknown[] = [];
    const tracerProvider = spoiledProvider(new BasicTracerProvider(), method);
    const bridge = new SpanBridge({ tracerProvider, capture: 'full', onError: (error) => errors.push(error) });
    expect(() => give(bridge, failing)).not.toThrow();
    expect(bridge.openSpans).toBe(0);
    expect(bridge.stats.faults).toBe(0);
    if (!['isRecording', 'spanContext'].includes(method)) expect(errors.length).toBeGreaterThan(0);
  });

  it.each(['setAttributes', 'setStatus'] as const)('does not keep a span from its end: %s', (method) => {
    const processor = new DumpProcessor();
    const tracerProvider = spoiledProvider(new BasicTracerProvider({ spanProcessors: [processor] }), method);
    give(new SpanBridge({ tracerProvider, capture: 'full' }), failing);
    expect(processor.ended.length).toBe(processor.started);
  });

  it('reaches nobody even when whoever is told of it throws as well', () => {
    const onError = boom;
    for (const method of ['startSpan', 'setAttributes', 'end'] as const) {
      const bridge = new SpanBridge({ tracerProvider: spoiledProvider(new BasicTracerProvider(), method), onError });
      expect(() => give(bridge, failing.slice(0, 4))).not.toThrow();
    }
  });
});

describe('a processor that throws', () => {
  const spoiled: SpanProcessor = { onStart: boom, onEnd: boom, forceFlush: async () => {}, shutdown: async () => {} };
  const run = (options: SpanBridgeOptions, processor: DumpProcessor) => {
    const bridge = new SpanBridge(options);
    expect(() => give(bridge, failing)).not.toThrow();
    expect(bridge.openSpans).toBe(0);
    return processor;
  };

  it('reaches nobody, and costs other processors no span: our provider', () => {
    const processor = new DumpProcessor();
    const tracerProvider = new ObserverTracerProvider({ spanProcessors: [spoiled, processor], onError: () => {} });
    expect(run({ tracerProvider }, processor).ended.length).toBe(3);
  });

  it('reaches nobody: the SDK’s provider', () => {
    const processor = new DumpProcessor();
    run({ tracerProvider: new BasicTracerProvider({ spanProcessors: [processor, spoiled] }) }, processor);
  });
});

describe('a processor that starts spans of its own', () => {
  it('changes nothing about ours', () => {
    const plain = new DumpProcessor();
    give(new SpanBridge({ tracerProvider: new ObserverTracerProvider({ spanProcessors: [plain] }) }), failing);
    const nested = new DumpProcessor();
    const inner: SpanBridge[] = [];
    const provider = new ObserverTracerProvider({
      spanProcessors: [
        {
          onStart: (span) => {
            if (span.name !== 'invoke_agent hermes') return;
            inner.pop()?.handle({ turn_id: 'inner' }, new HookMeta('pre_tool_call', [9, 0], 'x'));
          },
          onEnd: () => {},
          forceFlush: async () => {},
          shutdown: async () => {},
        },
        nested,
      ],
    });
    const bridge = new SpanBridge({ tracerProvider: provider });
    inner.push(bridge);
    give(bridge, failing);
    const ours = nested.ended.map(dumpSpan).filter(({ attributes }) => attributes['hermes.turn.id'] === 't');
    expect(ours).toEqual(plain.ended.map(dumpSpan));
  });
});

describe('a context', () => {
  it('of spans below an ended one still names that one as the parent', () => {
    const { run } = dump({}, turn, {});
    const late = run.spans.find(({ attributes }) => attributes['gen_ai.tool.call.id'] === 'late');
    expect(late?.parent).toBe(run.spans.find(({ name }) => name.startsWith('invoke_agent'))?.id);
    expect(trace.getActiveSpan()).toBeUndefined();
  });
});

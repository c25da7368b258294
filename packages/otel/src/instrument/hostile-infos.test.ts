import { context, propagation, trace } from '@opentelemetry/api';
import { afterEach, describe, expect, it } from 'vitest';
import type { RequestReport } from './request.js';
import { Scene, useContextManager } from './scene.test-support.js';
import type { InstrumentedTurn } from './turn.js';

const boom = (): never => {
  throw new Error('trap');
};
const unreadable = () => new Proxy({}, { get: boom, ownKeys: boom, getPrototypeOf: boom, has: boom });
const unreadableText = { toString: boom };
const throwing = (name: string) => Object.defineProperty({}, name, { get: boom, enumerable: true });

const INFOS: readonly (readonly [string, () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['a text', () => 'info'],
  ['a proxy', unreadable],
  [
    'a symbol as each id',
    () => ({ sessionId: Symbol('s'), taskId: Symbol('s'), callId: Symbol('s'), agentId: Symbol('s') }),
  ],
  ['ids that are no text', () => ({ sessionId: unreadableText, callId: unreadableText, agentId: unreadableText })],
  ['a name that is none', () => ({ name: Symbol('n'), role: Symbol('n'), patternKey: Symbol('n') })],
  ...[
    'sessionId',
    'profile',
    'traceContext',
    'userMessage',
    'signal',
    'args',
    'name',
    'messages',
    'goal',
    'toolCallId',
  ].map((name) => [`a ${name} that throws`, () => throwing(name)] as const),
];

const SIGNALS: readonly (readonly [string, unknown])[] = [
  ['no object', 'never'],
  ['one without addEventListener', { aborted: false }],
  ['one whose addEventListener throws', { aborted: false, addEventListener: boom, removeEventListener: boom }],
  ['a proxy that throws', unreadable()],
];

type Way = (turn: InstrumentedTurn, info: never, fn: () => unknown) => Promise<unknown>;
const WAYS: readonly Way[] = [
  (turn, info, fn) => turn.request(info, fn),
  (turn, info, fn) => turn.tool(info, fn),
  (turn, info, fn) => turn.subagent(info, fn),
  (turn, info, fn) => turn.approval(info, fn as () => string),
  (turn, info, fn) => turn.tool({ name: 'a', args: {} }, (_args, call) => call.approval(info, fn as () => string)),
  (turn, info, fn) => turn.tool({ name: 'a', args: {} }, (_args, call) => call.subagent(info, fn)),
];

describe.each([false, true])('with a guard: %s', (guarded) => {
  const scene = () => {
    const made = new Scene();
    if (guarded) made.hub.respond('pre_tool_call', () => ({ action: 'allow' }));
    return made;
  };

  it.each(INFOS)('info is %s: each function is called once, and has its span', async (_name, info) => {
    const made = scene();
    let called = 0;
    const fn = () => ++called;
    expect(await made.observer.turn(info() as never, fn)).toBe(1);
    await made.observer.turn({}, async (turn) => {
      for (const [i, way] of WAYS.entries()) expect(await way(turn, info() as never, fn)).toBe(i + 2);
    });
    expect(await made.spans()).toHaveLength(10);
  });

  it.each(SIGNALS)('signal is %s: it is ignored', async (_name, signal) => {
    const made = scene();
    let called = 0;
    const fn = () => ++called;
    const info = { name: 'a', args: {}, signal } as never;
    expect(await made.observer.turn(info, (turn) => [turn.signal, fn()])).toEqual([undefined, 1]);
    await made.observer.turn({}, async (turn) => {
      for (const [i, way] of WAYS.entries()) expect(await way(turn, info, fn)).toBe(i + 2);
      for await (const chunk of await turn.request(info, async function* () {
        yield 'a';
      })) {
        expect(chunk).toBe('a');
      }
    });
    expect(await made.spans()).toHaveLength(11);
  });
});

describe('what of an info can be read', () => {
  it('is told, whatever else throws', async () => {
    const scene = new Scene();
    await scene.observer.turn(Object.assign(throwing('profile'), { sessionId: 's', model: 'm' }), (turn) =>
      turn.request(Object.assign(throwing('messages'), { provider: 'p' }), () => 1),
    );
    expect((await scene.span('chat m')).attributes).toMatchObject({
      'gen_ai.conversation.id': 's',
      'gen_ai.provider.name': 'p',
    });
  });

  it('numbers are ids', async () => {
    const scene = new Scene();
    await scene.observer.turn({ sessionId: 7 as never }, (turn) =>
      turn.tool({ name: 'a', args: {}, callId: 0 as never }, () => 1),
    );
    expect((await scene.span('execute_tool a')).attributes).toMatchObject({
      'gen_ai.conversation.id': '7',
      'gen_ai.tool.call.id': '0',
    });
  });
});

describe('a report', () => {
  it.each<[string, () => unknown]>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['a proxy', unreadable],
    ['made of proxies', () => ({ usage: unreadable(), message: unreadable(), toolCalls: unreadable() })],
  ])('that is %s does not throw', async (_name, report) => {
    const { observer } = new Scene();
    const value = await observer.turn({}, (turn) =>
      turn.request({}, (request) => {
        request.report(report() as RequestReport);
        return 'asked';
      }),
    );
    expect(value).toBe('asked');
  });

  it('tells what of it can be read', async () => {
    const scene = new Scene();
    await scene.observer.turn({}, (turn) =>
      turn.request({ model: 'm' }, ({ report }) => report({ usage: unreadable(), finishReason: 'stop' })),
    );
    expect((await scene.span('chat m')).attributes['gen_ai.response.finish_reasons']).toEqual(['stop']);
  });
});

describe('the caller', () => {
  afterEach(() => context.disable());

  it('with baggage that cannot be encoded starts the turn all the same', async () => {
    useContextManager();
    const scene = new Scene();
    const span = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };
    const baggage = propagation.createBaggage({ k: { value: '\ud800' } });
    const active = propagation.setBaggage(trace.setSpanContext(context.active(), span), baggage);
    expect(await context.with(active, () => scene.observer.turn({}, () => 1))).toBe(1);
    expect((await scene.span('invoke_agent hermes')).spanContext().traceId).toBe(span.traceId);
  });
});

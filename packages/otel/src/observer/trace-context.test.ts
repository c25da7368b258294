import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AlwaysOffSampler, InMemorySpanExporter } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { createObserver } from './create-observer.js';
import type { ObserverOptions } from './options.js';
import { traceEnvironment } from './trace-environment.js';

const CALLER = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'a=1,b=2',
  baggage: 'tenant=M%C3%BCller%20%26%20Co,user=ada,tenant2=x;property=1',
};

async function inTool(options: ObserverOptions = {}, caller: typeof CALLER | undefined = CALLER) {
  const memory = new InMemorySpanExporter();
  const observer = createObserver({ env: {}, exporters: [memory], ...options });
  const told = await observer.turn({ sessionId: 's', traceContext: caller }, async (turn) => {
    const inTurn = observer.traceContext();
    const inRequest = await turn.request({ model: 'm' }, () => observer.traceContext());
    const ofTool = await turn.tool({ name: 'search', args: {}, callId: 'c' }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return observer.traceContext();
    });
    const { turnId } = turn;
    return { inTurn, inRequest, ofTool, byIds: observer.traceContext({ turnId }) };
  });
  await observer.flush();
  const spans = Object.fromEntries(memory.getFinishedSpans().map((span) => [span.name, span.spanContext()]));
  const after = observer.traceContext();
  await observer.shutdown();
  return { ...told, after, spans };
}

const idsIn = (traceparent: string | undefined) => traceparent?.split('-').slice(1, 3);

describe('observer.traceContext()', () => {
  it('names the span of the code that runs, without a context manager', async () => {
    const { inTurn, inRequest, ofTool, byIds, after, spans } = await inTool();
    const ids = (name: string) => [spans[name]?.traceId, spans[name]?.spanId];
    expect(idsIn(inTurn.traceparent)).toEqual(ids('invoke_agent hermes'));
    expect(idsIn(inRequest.traceparent)).toEqual(ids('chat m'));
    expect(idsIn(ofTool.traceparent)).toEqual(ids('execute_tool search'));
    expect(idsIn(byIds.traceparent)).toEqual(ids('invoke_agent hermes'));
    expect(ofTool).toMatchObject({ tracestate: 'a=1,b=2' });
    expect(ofTool.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
    expect(after).toEqual({});
  });

  it('names it with a context manager too, and a span below it where there is one', async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    try {
      const { ofTool, inRequest, spans } = await inTool({ baggage: ['user'] });
      expect(idsIn(ofTool.traceparent)?.[1]).toBe(spans['execute_tool search']?.spanId);
      expect(idsIn(inRequest.traceparent)?.[1]).toBe(spans['chat m']?.spanId);
      expect(ofTool.baggage).toBe('user=ada');
    } finally {
      context.disable();
    }
  });

  it('hands on the baggage that is listed, and no other', async () => {
    expect((await inTool()).ofTool.baggage).toBeUndefined();
    expect((await inTool({ baggage: [] })).ofTool.baggage).toBeUndefined();
    expect((await inTool({ baggage: ['ten', 'Tenant', '*'] })).ofTool.baggage).toBeUndefined();
    const { ofTool, byIds } = await inTool({ baggage: ['tenant', 'absent'] });
    expect(ofTool.baggage).toBe('tenant=M%C3%BCller%20%26%20Co');
    expect(byIds.baggage).toBe(ofTool.baggage);
  });

  it('says so where nothing is sampled', async () => {
    const { ofTool } = await inTool({ sampler: new AlwaysOffSampler() });
    expect(ofTool.traceparent).toMatch(/-00$/);
  });

  it('is empty for what is not known, and whatever fails', async () => {
    const observer = createObserver({ env: {}, exporters: [] });
    expect(observer.traceContext({ turnId: 'none' })).toEqual({});
    expect(observer.traceContext(null as never)).toEqual({});
    await observer.shutdown();
  });

  it('refuses a list that is none', () => {
    expect(() => createObserver({ baggage: 'tenant' as never, env: {} })).toThrow(
      expect.objectContaining({ code: 'HO_OPTION' }),
    );
  });
});

it('traceEnvironment takes away what is not told', () => {
  const env: Record<string, string> = { TRACEPARENT: 'old', BAGGAGE: 'old', PATH: '/bin' };
  expect({ ...env, ...traceEnvironment({ traceparent: 'new' }) }).toEqual({
    TRACEPARENT: 'new',
    TRACESTATE: undefined,
    BAGGAGE: undefined,
    PATH: '/bin',
  });
});

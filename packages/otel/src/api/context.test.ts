import {
  ROOT_CONTEXT as API_ROOT,
  context as api,
  createContextKey,
  DiagLogLevel,
  diag,
  propagation,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { afterEach, describe, expect, it } from 'vitest';
import { createBaggage, getBaggage, setBaggage } from './baggage.js';
import { active, contextKey, ROOT_CONTEXT, run } from './context.js';
import { error, warn } from './diag.js';
import { getSpan, getSpanContext, setSpan, setSpanContext, wrapSpanContext } from './trace.js';

const SPAN = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 };

afterEach(() => {
  api.disable();
  diag.disable();
});

describe('the active context', () => {
  it('is the root one without a context manager, also inside run', () => {
    const inner = ROOT_CONTEXT.setValue(contextKey('own'), 1);
    expect(active()).toBe(ROOT_CONTEXT);
    expect(run(inner, () => active())).toBe(ROOT_CONTEXT);
  });

  it('is the one that the API says, and the other way round, once a manager is registered', () => {
    api.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const theirs = API_ROOT.setValue(createContextKey('own'), 1);
    const ours = ROOT_CONTEXT.setValue(contextKey('own'), 2);
    expect(api.with(theirs, () => active())).toBe(theirs);
    expect(run(ours, () => api.active())).toBe(ours);
    expect(run(ours, () => api.active().getValue(createContextKey('own')))).toBe(2);
  });
});

describe('a context', () => {
  it('keeps what it holds when others are made of it', () => {
    const [a, b] = [contextKey('a'), contextKey('b')];
    const both = ROOT_CONTEXT.setValue(a, 1).setValue(b, 2);
    expect(both.deleteValue(a).getValue(a)).toBeUndefined();
    expect(both.deleteValue(a).getValue(b)).toBe(2);
    expect([both.getValue(a), both.getValue(b), ROOT_CONTEXT.getValue(a)]).toEqual([1, 2, undefined]);
  });

  it('holds spans and baggage where the API looks for them, and has them where the API put them', () => {
    const span = wrapSpanContext(SPAN);
    expect(trace.getSpan(setSpan(ROOT_CONTEXT, span))).toBe(span);
    expect(trace.getSpanContext(setSpanContext(API_ROOT, SPAN))).toBe(SPAN);
    expect(getSpanContext(trace.setSpanContext(ROOT_CONTEXT, SPAN))).toBe(SPAN);
    expect(getSpan(trace.deleteSpan(setSpan(ROOT_CONTEXT, span)))).toBeUndefined();
    const baggage = createBaggage([['k', { value: 'v' }]]);
    expect(propagation.getBaggage(setBaggage(API_ROOT, baggage))).toBe(baggage);
    const theirs = propagation.createBaggage({ k: { value: 'v' } });
    expect(getBaggage(propagation.setBaggage(ROOT_CONTEXT, theirs))).toBe(theirs);
  });
});

describe('an unrecorded span', () => {
  it('has every function of the API, and takes nothing', () => {
    const theirs = trace.wrapSpanContext(SPAN);
    const names = Object.getOwnPropertyNames(Object.getPrototypeOf(theirs)).filter((name) => name !== 'constructor');
    const ours = wrapSpanContext(SPAN) as unknown as Record<string, (...args: unknown[]) => unknown>;
    expect(names.length).toBeGreaterThan(9);
    for (const name of names) {
      const same = (theirs as unknown as typeof ours)[name]?.('a', 'b');
      expect([name, ours[name]?.('a', 'b') === ours]).toEqual([name, same === theirs]);
    }
    expect(wrapSpanContext(SPAN).isRecording()).toBe(false);
  });
});

describe('diagnostics', () => {
  it('go to the logger of the program at its level, and nowhere without one', () => {
    const said: unknown[][] = [];
    warn('nobody hears this');
    const log = (...args: unknown[]) => said.push(args);
    const logger = { error: log, warn: log, info: log, debug: log, verbose: log };
    diag.setLogger(logger, DiagLogLevel.ERROR);
    warn('below the level');
    error('heard', 1);
    expect(said).toEqual([['heard', 1]]);
  });
});

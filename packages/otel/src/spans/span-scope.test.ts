import { createContextKey, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { SpanScope } from './span-scope.js';

const KEY = createContextKey('of a test');
const span = trace.wrapSpanContext({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 });
const other = trace.wrapSpanContext({ traceId: '3'.repeat(32), spanId: '4'.repeat(16), traceFlags: 1 });
const baggage = propagation.createBaggage({ user: { value: 'ann' } });

describe.each([
  ['the root', ROOT_CONTEXT],
  ['a caller', propagation.setBaggage(ROOT_CONTEXT, baggage)],
])('a span above %s', (_, base) => {
  const scope = new SpanScope(span, base);
  const plain = trace.setSpan(base, span);

  it('is found by the API', () => {
    expect(trace.getSpan(scope)).toBe(span);
    expect(trace.getSpanContext(scope)).toBe(span.spanContext());
    expect(propagation.getBaggage(scope)).toBe(propagation.getBaggage(plain));
    expect(scope.getValue(KEY)).toBeUndefined();
  });

  it('stays under what is set above it, and can be replaced and taken away', () => {
    const more = scope.setValue(KEY, 7);
    expect([more.getValue(KEY), trace.getSpan(more), scope.getValue(KEY)]).toEqual([7, span, undefined]);
    expect(trace.getSpan(trace.setSpan(scope, other))).toBe(other);
    expect(trace.getSpan(trace.deleteSpan(scope))).toBeUndefined();
    expect(propagation.getBaggage(trace.deleteSpan(scope))).toBe(propagation.getBaggage(base));
    expect(trace.getSpan(scope)).toBe(span);
  });
});

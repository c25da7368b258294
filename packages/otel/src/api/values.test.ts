import {
  INVALID_SPAN_CONTEXT as API_INVALID,
  createTraceState as apiTraceState,
  isSpanContextValid as apiValid,
  propagation,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createBaggage } from './baggage.js';
import { CLIENT, INTERNAL, STATUS_ERROR, STATUS_OK, STATUS_UNSET } from './span-codes.js';
import { INVALID_SPAN_CONTEXT, isSpanContextValid, NOT_SAMPLED, SAMPLED } from './span-context.js';
import { createTraceState } from './trace-state.js';

describe('numbers and constants', () => {
  it('are those of the API', () => {
    expect([INTERNAL, CLIENT]).toEqual([SpanKind.INTERNAL, SpanKind.CLIENT]);
    expect([STATUS_UNSET, STATUS_OK, STATUS_ERROR]).toEqual([
      SpanStatusCode.UNSET,
      SpanStatusCode.OK,
      SpanStatusCode.ERROR,
    ]);
    expect([NOT_SAMPLED, SAMPLED]).toEqual([TraceFlags.NONE, TraceFlags.SAMPLED]);
    expect(INVALID_SPAN_CONTEXT).toEqual(API_INVALID);
  });
});

describe('isSpanContextValid', () => {
  const digit = fc.constantFrom(...'0123456789abcdefABCDEF', 'g', 'G', '/', ':', '@', '`', ' ', 'é', '\u0130');
  const id = (length: number) =>
    fc.oneof(
      {
        weight: 4,
        arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789abcdefAF'), minLength: length, maxLength: length }),
      },
      fc.string({ unit: digit, minLength: length - 1, maxLength: length + 1 }),
      fc.constant('0'.repeat(length)),
      fc.constantFrom(undefined, null, 7),
    );

  it('takes no empty id, also as the first that it is asked for', () => {
    expect(isSpanContextValid({ traceId: '', spanId: 'b'.repeat(16), traceFlags: 1 })).toBe(false);
  });

  it('takes no absent id, also as the first that it is asked for', async () => {
    vi.resetModules();
    const fresh = await import('./span-context.js');
    expect(fresh.isSpanContextValid({ spanId: 'b'.repeat(16), traceFlags: 1 } as never)).toBe(false);
  });

  it('says what the API says', () => {
    fc.assert(
      fc.property(id(32), id(16), (traceId, spanId) => {
        const context = { traceId, spanId, traceFlags: 1 } as never;
        expect(isSpanContextValid(context)).toBe(apiValid(context));
      }),
    );
  });
});

describe('createTraceState', () => {
  const key = fc.constantFrom('a', 'vendor', 't@v', 'UP', '1x', '', 'a/b*c', 'k'.repeat(257));
  const value = fc.constantFrom('1', 'x y', ' lead', 'trail ', 'a=b', 'é', '', 'v'.repeat(256));
  const member = fc.oneof(
    fc.tuple(key, value).map(([k, v]) => `${k}=${v}`),
    fc.constantFrom('', ' ', 'noequals', '=v', '\tspaced=1 '),
  );

  it('keeps what the API keeps of a header', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(member, { selector: (text) => text.trim().split('=')[0], maxLength: 10 }),
        (members) => {
          const header = members.join(',');
          expect(createTraceState(header).serialize()).toBe(apiTraceState(header).serialize());
        },
      ),
    );
  });

  it('puts what is set first, and takes out what is unset', () => {
    for (const make of [createTraceState, apiTraceState]) {
      const state = make('a=1,b=2');
      expect(state.set('b', '3').serialize()).toBe('b=3,a=1');
      expect(state.unset('a').serialize()).toBe('b=2');
      expect([state.get('a'), state.get('z'), state.serialize()]).toEqual(['1', undefined, 'a=1,b=2']);
    }
  });

  it('has bounds: 512 units, 32 members; of a key that comes twice the first counts', () => {
    expect(createTraceState(`a=${'1'.repeat(255)},b=${'2'.repeat(255)}`).serialize()).toBe('');
    const many = Array.from({ length: 40 }, (_, at) => `k${at}=1`);
    expect(createTraceState(many.join(',')).serialize()).toBe(many.slice(0, 32).join(','));
    expect(createTraceState('a=1,b=2,a=3').serialize()).toBe('a=1,b=2');
  });
});

describe('baggage', () => {
  it('has what the baggage of the API has, after every change', () => {
    const entries = { a: { value: '1' }, b: { value: '2' } };
    const [theirs, ours] = [propagation.createBaggage(entries), createBaggage(Object.entries(entries))];
    const of = (baggage: typeof ours) => [
      baggage.getAllEntries(),
      baggage.getEntry('a'),
      baggage.getEntry('z'),
      baggage.setEntry('a', { value: '3' }).getAllEntries(),
      baggage.removeEntry('a').getAllEntries(),
      baggage.removeEntries('a', 'b').getAllEntries(),
      baggage.clear().getAllEntries(),
      baggage.getAllEntries(),
    ];
    expect(of(ours)).toEqual(of(theirs));
  });
});

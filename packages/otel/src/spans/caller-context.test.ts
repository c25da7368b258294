import { propagation, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { ROOT_CONTEXT } from '../api/context.js';
import { callerBaggage, callerContext, callerSpan } from './caller-context.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    [`00-${TRACE}-${SPAN}-03`, 1],
    [` 00-${TRACE}-${SPAN}-01 `, 1],
    [`01-${TRACE}-${SPAN}-01`, 1],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-will-be`, 1],
  ])('names the caller’s span: %s', (traceparent, traceFlags) => {
    expect(callerSpan({ traceparent })).toMatchObject({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true });
  });

  it.each([
    '',
    'x',
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `0-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${TRACE}0-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN.replace('b', 'g')}-01`,
    `00-${TRACE}-${SPAN}-0x`,
    `00_${TRACE}_${SPAN}_01`,
    `cc-${TRACE}-${SPAN}-01.what`,
    `00-${TRACE}-${SPAN}-01-${'x'.repeat(10_000)}`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  ])('names nothing when it is malformed: %s', (traceparent) => expect(callerSpan({ traceparent })).toBeUndefined());

  it.each([undefined, {}, { traceparent: 7 }, { traceparent: null }])(
    'names nothing when there is none: %j',
    (caller) => {
      expect(callerSpan(caller as never)).toBeUndefined();
      expect(callerContext(caller as never)).toBe(ROOT_CONTEXT);
    },
  );
});

describe('a tracestate', () => {
  const traceparent = `00-${TRACE}-${SPAN}-01`;

  it('comes along', () => {
    expect(callerSpan({ traceparent, tracestate: 'a=1,b=2' })?.traceState?.get('b')).toBe('2');
  });

  it.each(['', 'x'.repeat(9000), 7])('that is unusable is left out', (tracestate) => {
    expect(callerSpan({ traceparent, tracestate } as never)?.traceState).toBeUndefined();
  });
});

describe('baggage', () => {
  const entries = (baggage: unknown) => {
    const all = propagation.getBaggage(callerBaggage({ baggage } as never))?.getAllEntries() ?? [];
    return Object.fromEntries(all.map(([key, { value }]) => [key, value]));
  };

  it('comes along, decoded, without its properties', () => {
    expect(entries('user=ann%20b, tenant=7;ttl=1 ,q=a=b')).toEqual({ user: 'ann b', tenant: '7', q: 'a=b' });
  });

  it('keeps what cannot be decoded', () => expect(entries('a=%E0%A4%A')).toEqual({ a: '%E0%A4%A' }));

  it.each(['', 'x'.repeat(9000), 7, undefined, null])('is none when it is unusable', (baggage) =>
    expect(entries(baggage)).toEqual({}),
  );

  it('leaves out members that are none', () => expect(entries('=x, ,a,b=1')).toEqual({ b: '1' }));

  it('stands beside the caller’s span in the context of a root', () => {
    const context = callerContext({ traceparent: `00-${TRACE}-${SPAN}-01`, baggage: 'a=1' });
    expect(trace.getSpanContext(context)?.spanId).toBe(SPAN);
    expect(propagation.getBaggage(context)?.getEntry('a')?.value).toBe('1');
  });
});

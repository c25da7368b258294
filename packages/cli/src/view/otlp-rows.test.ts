import { ObserverError } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { isTraceRequest, rowsOfRequest } from './otlp-rows.js';

const request = (span: object) => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
const one = (span: object) => rowsOfRequest(request(span))[0];

describe('rowsOfRequest', () => {
  it('reads a span as OTLP/JSON writes it', () => {
    const row = one({
      traceId: 'ABCDEF00000000000000000000000001',
      spanId: '00000000000000Aa',
      parentSpanId: '',
      name: 'chat gpt-5',
      startTimeUnixNano: '1764450000123456789',
      endTimeUnixNano: '1764450001000000000',
      attributes: [
        { key: 's', value: { stringValue: 'x' } },
        { key: 'i', value: { intValue: '42' } },
        { key: 'n', value: { intValue: 7 } },
        { key: 'd', value: { doubleValue: 1.5 } },
        { key: 'b', value: { boolValue: true } },
        { key: 'a', value: { arrayValue: { values: [{ stringValue: 'stop' }] } } },
        { key: 'o', value: { kvlistValue: { values: [{ key: 'k', value: { intValue: '1' } }] } } },
        { key: '__proto__', value: { stringValue: 'p' } },
        { key: 'e', value: {} },
      ],
      events: [{ name: 'e', timeUnixNano: '1764450000500000000', attributes: [] }],
      links: [{ traceId: '00000000000000000000000000000002', spanId: '1' }],
      status: { code: 2, message: 'why' },
    });
    expect(row).toMatchObject({
      traceId: 'abcdef00000000000000000000000001',
      spanId: '00000000000000aa',
      parentSpanId: undefined,
      start: [1764450000, 123456789],
      end: [1764450001, 0],
      failed: true,
      statusMessage: 'why',
      attributes: { s: 'x', i: 42, n: 7, d: 1.5, b: true, a: ['stop'], o: { k: 1 } },
      events: [{ name: 'e', time: [1764450000, 500000000] }],
      links: [{ traceId: '00000000000000000000000000000002' }],
    });
    expect(Object.keys(row?.attributes ?? {})).toContain('__proto__');
  });

  it.each([[undefined], ['0'], [0]])('takes an end of %j for a span that has not ended', (endTimeUnixNano) => {
    expect(
      one({ traceId: 'a1', spanId: 'b1', name: 'x', startTimeUnixNano: '5', endTimeUnixNano })?.end,
    ).toBeUndefined();
  });

  it('takes zero ids for none, and the name of a status for its number', () => {
    const row = one({
      spanId: '0000000000000000',
      parentSpanId: '0000000000000000',
      status: { code: 'STATUS_CODE_ERROR' },
    });
    expect(row).toMatchObject({ traceId: '', spanId: '', parentSpanId: undefined, name: '', failed: true });
  });

  it.each([
    [{ resourceSpans: {} }, 'resourceSpans'],
    [{ resourceSpans: [{ scopeSpans: 'x' }] }, 'scopeSpans'],
    [request(null as never), 'spans'],
    [request({ attributes: [1] }), 'attributes'],
  ])('names what is no OTLP in %j', (value, place) => {
    expect(() => rowsOfRequest(value)).toThrow(ObserverError);
    expect(() => rowsOfRequest(value)).toThrow(new RegExp(`^${place} must be`));
  });

  it('knows a request from a hook record', () => {
    expect(isTraceRequest({ resourceSpans: [] })).toBe(true);
    expect(isTraceRequest({ hook: 'pre_llm_call', payload: {} })).toBe(false);
    expect(isTraceRequest([])).toBe(false);
  });
});

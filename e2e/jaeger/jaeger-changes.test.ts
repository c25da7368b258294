import { expect, it } from 'vitest';
import { asKept, unexpectedWarnings } from './jaeger-changes.js';
import type { OtlpSpan } from './otlp-json.js';
import { otlpTrace } from './otlp-trace.test-support.js';
import { spanFacts } from './span-facts.js';

const skew = 'clock skew adjustment disabled; not applying calculated delta of 1s';
const negative = 'Negative duration detected, sanitizing end timestamp. Original end timestamp: then, adjusted to: now';

/** How many of the warnings on the tool call are unexpected. */
function unexpected(change: Partial<OtlpSpan>, ...texts: string[]): number {
  const warnings = texts.map((text) => ({ spanId: '00000000000000a2', text }));
  return unexpectedWarnings(asKept(spanFacts(otlpTrace(change))), warnings).length;
}

it('expects a warning of clocks on work that outlives its parent or began before it', () => {
  expect(unexpected({ endTimeUnixNano: '1700000003000000000' }, skew)).toBe(0);
  expect(unexpected({ startTimeUnixNano: '1600000000000000000' }, skew)).toBe(0);
  expect(unexpected({}, skew)).toBe(1);
  expect(unexpected({ parentSpanId: '', endTimeUnixNano: '1700000003000000000' }, skew)).toBe(1);
});

it('expects one of clocks on a span without length at the end of its parent, and never one of its length', () => {
  const at = (time: string) => ({ startTimeUnixNano: time, endTimeUnixNano: time });
  expect(unexpected(at('1700000001000000000'), negative)).toBe(1);
  expect(unexpected(at('1700000002000000000'), skew)).toBe(0);
  expect(unexpected(at('1700000001000000000'), skew)).toBe(1);
  expect(unexpected({}, negative)).toBe(1);
});

it('expects no other warning, and none on a span it does not know', () => {
  expect(unexpected({}, 'duplicate span IDs; skipping clock skew adjustment')).toBe(1);
  expect(unexpectedWarnings([], [{ spanId: '01', text: skew }])).toHaveLength(1);
});

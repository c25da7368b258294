import type { ReadableSpan } from '@hermes-observer/otel';
import { expect, it } from 'vitest';
import { LogEncoder } from './log-encoder.js';

it('a span that cannot be read is counted, and keeps no others from being sent', () => {
  const encoder = new LogEncoder('agent', {});
  const bad = {
    get attributes(): never {
      throw new Error('no');
    },
  } as unknown as ReadableSpan;
  const evaluation = {
    eventName: 'gen_ai.evaluation.result',
    timestamp: [1, 0],
    observedTimestamp: [1, 0],
    severityNumber: 9,
    severityText: 'INFO',
    attributes: {},
    context: { getValue: () => undefined },
  };
  expect(encoder.encode([bad], [evaluation as never])).toMatchObject([{ spans: 1 }]);
  expect(encoder.unwritable).toBe(1);
});

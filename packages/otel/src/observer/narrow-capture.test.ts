import { SpanKind } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { createResource } from '../provider/resource.js';
import type { ReadableSpan } from '../sdk/types.js';
import { narrowing } from './narrow-capture.js';

const KEY = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8';
const context = { traceId: '1'.repeat(32), spanId: '1'.repeat(16), traceFlags: 1 };

const span: ReadableSpan = {
  name: `execute_tool ${KEY}`,
  kind: SpanKind.INTERNAL,
  spanContext: () => context,
  startTime: [1, 0],
  endTime: [2, 0],
  duration: [1, 0],
  status: { code: 2, message: `no ${KEY}` },
  attributes: {
    'gen_ai.tool.call.arguments': `use ${KEY}`,
    'gen_ai.conversation.id': KEY,
    'hermes.turn.id': '20251129_210000_a1b2c3:0f1e2d3c',
    own: `password=${KEY}`,
    list: ['a', KEY],
    numbers: [1, 2],
    count: 3,
  },
  events: [{ name: 'e', time: [1, 0], attributes: { 'exception.message': KEY, own: KEY, n: 1 } }],
  links: [{ context, attributes: { why: KEY, n: 1 } }],
  ended: true,
  resource: createResource({}),
  instrumentationScope: { name: 'scope' },
  droppedAttributesCount: 0,
  droppedEventsCount: 0,
  droppedLinksCount: 0,
};

describe('a span for an exporter that gets less', () => {
  it.each(['none', 'redacted'] as const)('has no secret in ids, own attributes, events and links: %s', (capture) => {
    const narrow = narrowing(capture)(span);
    expect(JSON.stringify(narrow)).not.toContain('a1B2c3D4');
    expect(narrow.attributes).toMatchObject({
      'gen_ai.conversation.id': '[redacted:api_key]',
      'hermes.turn.id': '20251129_210000_a1b2c3:0f1e2d3c',
      list: ['a', '[redacted:api_key]'],
      numbers: [1, 2],
      count: 3,
    });
    expect(narrow.links[0]?.attributes).toEqual({ why: '[redacted:api_key]', n: 1 });
    expect(narrow.events[0]?.attributes?.['exception.message']).toBe(
      capture === 'none' ? undefined : '[redacted:api_key]',
    );
  });
});

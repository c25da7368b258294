import { semconv } from '@hermes-observer/otel';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Role } from './role.js';
import type { SpanRow } from './span-row.js';
import { timeSpent } from './time-spent.js';

function span(role: Role, from: number, to: number | undefined, attributes = {}): readonly [SpanRow, Role] {
  const none = { events: [], links: [], statusMessage: undefined, failed: false, name: '', parentSpanId: undefined };
  return [
    { traceId: 't', spanId: 's', start: [from, 0], end: to === undefined ? undefined : [to, 0], attributes, ...none },
    role,
  ];
}

describe('timeSpent', () => {
  it('gives each moment to the person, else the model, else a tool, else the agent', () => {
    const spans = [
      span('turn', 0, 20),
      span('chat', 1, 5),
      span('tool', 4, 12),
      span('approval', 6, 9),
      span('chat', 11, 13),
    ];
    expect(timeSpent(spans, [0, 0], [20, 0])).toEqual({
      total: 20_000,
      person: 3000,
      model: 6000,
      tool: 3000,
      agent: 8000,
    });
  });

  it('leaves out what lies outside, and takes a running span to the end', () => {
    const spans = [span('chat', 0, 3), span('tool', 8, undefined), span('tool', 30, 40)];
    expect(timeSpent(spans, [2, 0], [10, 0])).toMatchObject({ total: 8000, model: 1000, tool: 2000, agent: 5000 });
  });

  it('counts an approval that a model gave as no wait for a person', () => {
    const spans = [span('approval', 1, 3, { [semconv.ATTR_HERMES_APPROVAL_DECIDED_BY]: 'aux_llm' })];
    expect(timeSpent(spans, [0, 0], [4, 0])).toMatchObject({ person: 0, agent: 4000 });
  });

  it('counts the attempts of a request, and not the waits between them', () => {
    const [row, role] = span('chat', 0, 10, {
      [semconv.ATTR_HERMES_API_ATTEMPTS]: 2,
      [semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS]: 1500,
    });
    const failed = {
      name: semconv.EVENT_HERMES_API_ATTEMPT_FAILED,
      time: [2, 0] as [number, number],
      attributes: { [semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS]: 500 },
    };
    expect(timeSpent([[{ ...row, events: [failed] }, role]], [0, 0], [10, 0])).toMatchObject({
      model: 2000,
      agent: 8000,
    });
    const unknown = { ...failed, attributes: {} };
    expect(timeSpent([[{ ...row, events: [unknown] }, role]], [0, 0], [10, 0])).toMatchObject({ model: 10_000 });
  });

  it('adds up to the whole', () => {
    const role = fc.constantFrom<Role>('chat', 'tool', 'approval', 'human_input', 'other');
    const times = fc.tuple(role, fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 50 }));
    fc.assert(
      fc.property(fc.array(times, { maxLength: 20 }), (list) => {
        const spans = list.map(([kind, from, length]) => span(kind, from, from + length));
        const { total, person, model, tool, agent } = timeSpent(spans, [10, 0], [60, 0]);
        expect(person + model + tool + agent).toBeCloseTo(total);
      }),
    );
  });
});

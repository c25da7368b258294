import type { HrTime } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEMO_RECORDINGS, demoPath } from '../commands/demo.js';
import { storeOf } from '../commands/web-view.js';
import { InputReport } from '../input/input-report.js';
import { pathOf } from '../traces/trace-path.js';
import { collectRows } from './collect-rows.js';
import type { SpanRow } from './span-row.js';
import { survey } from './survey.js';
import { timeSpent } from './time-spent.js';
import { buildForest } from './tree.js';

const AGENT = { [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent' };
const CHAT = { [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'chat' };
const TOOL = { [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool' };
const CHILD = { ...AGENT, [semconv.ATTR_HERMES_SUBAGENT_ROLE]: 'leaf' };
const OURS = { [semconv.ATTR_HERMES_TURN_ID]: 't' };

const row = (id: number, parent: number | undefined, from: number, to: number | undefined, more: Partial<SpanRow>) => ({
  traceId: 't',
  spanId: `${id}`,
  parentSpanId: parent === undefined ? undefined : `${parent}`,
  name: '',
  start: [from, 0] as HrTime,
  end: to === undefined ? undefined : ([to, 0] as HrTime),
  failed: false,
  statusMessage: undefined,
  attributes: {},
  events: [],
  links: [],
  ...more,
});

function spentOf(rows: readonly SpanRow[]) {
  const [tree] = buildForest(rows).traces;
  if (tree === undefined) throw new Error('no trace');
  const { first, last } = survey(tree);
  return timeSpent(tree, first, last);
}

const sum = (parts: object) => Object.values(parts).reduce((all, part) => all + part, 0);

describe('timeSpent', () => {
  it('gives parallel tools to the one that ended last, waits to the person, and the rest to the agent', () => {
    const spent = spentOf([
      row(1, undefined, 0, 20, { attributes: AGENT }),
      row(2, 1, 1, 5, { attributes: CHAT }),
      row(3, 1, 5, 9, { attributes: TOOL }),
      row(4, 1, 5, 15, { attributes: TOOL }),
      row(5, 4, 6, 9, { name: 'approval x', attributes: OURS }),
      row(6, 4, 10, 11, {
        name: 'approval y',
        attributes: { ...OURS, [semconv.ATTR_HERMES_APPROVAL_DECIDED_BY]: 'aux_llm' },
      }),
    ]);
    expect(spent.total).toBe(20_000);
    expect(spent.parts).toEqual({ model: 4000, tools: 6000, human: 3000, children: 0, waiting: 0, agent: 7000 });
  });

  it('tells what child agents spent theirs on, waits between attempts too', () => {
    const failed = {
      name: semconv.EVENT_HERMES_API_ATTEMPT_FAILED,
      time: [4, 0] as HrTime,
      attributes: { [semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS]: 1000 },
    };
    const attributes = { ...CHAT, [semconv.ATTR_HERMES_API_ATTEMPT_DURATION_MS]: 2000 };
    const spent = spentOf([
      row(1, undefined, 0, 20, { attributes: AGENT }),
      row(2, 1, 2, 18, { attributes: CHILD }),
      row(3, 2, 3, 10, { attributes, events: [failed] }),
      row(4, 2, 10, 13, { attributes: TOOL }),
    ]);
    expect(spent.parts).toMatchObject({ children: 16_000, agent: 4000, waiting: 0 });
    expect(spent.inChildren).toEqual({ model: 3000, tools: 3000, human: 0, children: 0, waiting: 4000, agent: 6000 });
  });

  it('adds up to the whole, whatever the times are', () => {
    const kind = fc.constantFrom(CHAT, TOOL, CHILD, AGENT, OURS, {});
    const span = fc.tuple(kind, fc.nat(50), fc.option(fc.integer({ min: -5, max: 50 })), fc.nat());
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 20 }), (list) => {
        const rows = list.map(([attributes, from, length, parent], i) =>
          row(i, i === 0 ? undefined : parent % i, from, length === null ? undefined : from + length, { attributes }),
        );
        const { total, parts, inChildren } = spentOf(rows);
        expect(sum(parts)).toBeCloseTo(total);
        expect(sum(inChildren)).toBeCloseTo(parts.children);
      }),
    );
  });

  it.each(DEMO_RECORDINGS)('is what the page says of $file', async ({ file }) => {
    const { rows } = await collectRows([demoPath(file)], new InputReport());
    const spent = spentOf(rows);
    const [trace] = (await storeOf([demoPath(file)], {}, new InputReport())).all();
    if (trace === undefined) throw new Error('no trace');
    const parents = trace.spans.map(({ parentId }) => trace.spans.findIndex(({ id }) => id === parentId));
    const { parts } = pathOf(trace, trace.spans, parents, 0);
    for (const [name, nanos] of Object.entries(parts)) {
      expect([name, spent.parts[name as keyof typeof parts]]).toEqual([name, nanos / 1e6]);
    }
  });
});

import { semconv } from '@hermes-observer/otel';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { renderTraces } from './render.js';
import type { SpanRow } from './span-row.js';

function row(spanId: string, parentSpanId?: string, more: Partial<SpanRow> = {}): SpanRow {
  const none = { events: [], links: [], statusMessage: undefined, failed: false };
  const attributes = { [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'execute_tool' };
  return {
    traceId: 't',
    spanId,
    parentSpanId,
    name: `execute_tool ${spanId}`,
    start: [1, 0],
    end: [2, 0],
    attributes,
    ...none,
    ...more,
  };
}

const tool = (attributes: SpanRow['attributes']) => ({ ...row('x').attributes, ...attributes });
const HOSTILE = '\x1b[2J\x1b]0;owned\x07\u202eevil\r\n\x9b31m日本語👩‍👩‍👧';

describe('renderTraces', () => {
  it.each([
    ['interrupted_by_system(sse_client_disconnected)', 'interrupted_by_system(sse_client_disconnected)'],
    ['gave_up(the user said no (twice))', 'gave_up'],
  ])('shows of the exit reason %s no free text', (reason, shown) => {
    const attributes = {
      [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent',
      [semconv.ATTR_HERMES_TURN_OUTCOME]: 'interrupted',
      [semconv.ATTR_HERMES_TURN_EXIT_REASON]: reason,
    };
    const lines = renderTraces([row('a', undefined, { attributes })], { width: 160 }).split('\n');
    expect(lines.some((line) => line.includes(` interrupted · ${shown}  `))).toBe(true);
  });

  it('counts nothing for no spans', () => {
    expect(renderTraces([])).toBe('0 traces · 0 spans · 0 errors · 0 blocked · 0 incomplete\n');
  });

  it('shows a span that has not ended, one that ends before its start, and one without a time', () => {
    const text = renderTraces([
      row('run', undefined, { end: undefined }),
      row('back', 'run', { end: [0, 0] }),
      row('none', 'run', { start: [0, 0], end: undefined }),
    ]);
    expect(text).toMatch(/execute_tool run +not ended .* running\n/);
    expect(text).toMatch(/execute_tool back .* \?\n/);
    expect(text).toMatch(/execute_tool none +not ended/);
    expect(text).toContain('2 incomplete');
  });

  it('says which spans have no parent here', () => {
    const text = renderTraces([row('root'), row('orphan', 'gone')]);
    expect(text).toMatch(/\nexecute_tool orphan +ok · parent not found/);
  });

  it('shows spans of other tracers as they are', () => {
    const text = renderTraces([row('a', undefined, { name: 'GET /users', attributes: {}, failed: true })]);
    expect(text).toContain('#1 GET /users ERROR in 1.00s');
    expect(text).toMatch(/\nGET \/users +ERROR /);
    expect(text).not.toContain('time:');
  });

  it('never prints what a terminal would act on, and never goes over the width', () => {
    const attributes: Record<string, unknown> = { [semconv.ATTR_GEN_AI_OPERATION_NAME]: 'invoke_agent' };
    for (const name of Object.values(semconv)) if (!(name in attributes)) attributes[name] = HOSTILE;
    attributes[semconv.ATTR_GEN_AI_OPERATION_NAME] = 'invoke_agent';
    const rows = ['invoke_agent', 'chat', 'execute_tool', undefined].map((operation, i) =>
      row(`${i}`, i === 0 ? undefined : '0', {
        name: `${i === 3 ? 'approval ' : ''}${HOSTILE}`,
        failed: i === 1,
        statusMessage: HOSTILE,
        attributes: { ...attributes, [semconv.ATTR_GEN_AI_OPERATION_NAME]: operation },
        events: [{ name: semconv.EVENT_HERMES_POLICY_DECISION, time: [1, 0], attributes }],
        links: [{ traceId: HOSTILE, attributes }],
      }),
    );
    for (const width of [20, 40, 80, 200]) {
      const text = renderTraces(rows, { width, content: true });
      expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
      for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }
  });

  it('fits any names and results into any width', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { maxLength: 6 }),
        fc.integer({ min: 20, max: 130 }),
        (list, width) => {
          const rows = list.map(([name, who], i) => {
            const attributes = tool({
              [semconv.ATTR_HERMES_TOOL_STATUS]: 'blocked',
              [semconv.ATTR_HERMES_TOOL_BLOCKED_BY]: who,
            });
            return row(`${i}`, i === 0 ? undefined : `${i - 1}`, { name, attributes });
          });
          for (const line of renderTraces(rows, { width }).split('\n'))
            expect(stringWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('brings the times of names with wide signs into one column', () => {
    const lines = renderTraces([row('a'), row('b', 'a', { name: 'execute_tool 日本語🙂' })]).split('\n');
    const spans = lines.filter((line) => line.includes('execute_tool') && !line.startsWith('#'));
    expect(spans.map((line) => stringWidth(line))).toEqual([80, 80]);
  });

  it('says how deep it is where the tree is deeper than the room for it', () => {
    const rows = Array.from({ length: 100 }, (_, i) => row(`s${i}`, i === 0 ? undefined : `s${i - 1}`));
    expect(renderTraces(rows)).toMatch(/\n…93 .*└─ execute_tool s99 /);
  });

  it('shows policy decisions below their tool', () => {
    const event = {
      name: semconv.EVENT_HERMES_POLICY_DECISION,
      time: [1, 500_000_000] as [number, number],
      attributes: {
        [semconv.ATTR_HERMES_POLICY_GATE]: 'no-secrets',
        [semconv.ATTR_HERMES_POLICY_OUTCOME]: 'deny',
        [semconv.ATTR_HERMES_POLICY_KIND]: 'path',
        [semconv.ATTR_HERMES_POLICY_DURATION_MS]: 2,
      },
    };
    expect(renderTraces([row('a', undefined, { events: [event] })])).toMatch(
      /\n {3}policy no-secrets: deny \(path\) +\+498ms {2}2\.00ms\n/,
    );
  });

  describe('on large traces', () => {
    const shapes: [string, (i: number) => string | undefined][] = [
      ['wide', (i) => (i === 0 ? undefined : '0')],
      ['a chain', (i) => (i === 0 ? undefined : `${i - 1}`)],
      ['orphans', (i) => `gone${i}`],
      ['one cycle', (i) => `${i === 0 ? 19_999 : i - 1}`],
    ];

    it.each(shapes)('reads each span of %s a fixed number of times', (_, parentOf) => {
      let reads = 0;
      const rows = Array.from(
        { length: 20_000 },
        (_, i) =>
          new Proxy(row(`${i}`, parentOf(i), { start: [1, i] }), {
            get(target, key) {
              reads++;
              return target[key as keyof SpanRow];
            },
          }),
      );
      const text = renderTraces(rows);
      expect(text).toContain('· 20000 spans ·');
      // Comparisons of starts while sorting are the only part that is not linear: at most log2(20,000) a span.
      expect(reads).toBeLessThan(20_000 * 100);
      expect(text.length).toBeLessThan(20_000 * 250);
    });
  });
});

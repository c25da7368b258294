import { semconv } from '@hermes-observer/otel';
import type { BlockedCall, Outcome, TurnRow, WaitingCall } from '../wire.js';
import { unixNanos } from './relative-time.js';
import { FLAG, short, whoOf, whyBlocked } from './span-facts.js';
import { isOurs, SPAN_KIND } from './span-kind.js';
import { factsOf, textOf } from './span-source.js';
import type { StoredSpan } from './stored-span.js';
import { rootText, type Trace } from './trace.js';

export type TraceRow = TurnRow;

const MOST_BLOCKED = 3;
const MOST_WAITING = 3;
const OUTCOMES: ReadonlySet<string> = new Set(['completed', 'failed', 'interrupted', 'incomplete']);

export function rowOf(trace: Trace): TraceRow {
  const { root, tally } = trace;
  const [input, cached, output] = tally.tokens.map(({ sum, known }) => (known === 0 ? null : sum));
  const { from, to } = spanOfTime(trace, 0);
  const isRunning = isUnderWay(trace);
  return {
    trace: trace.id,
    session: rootText(trace, semconv.ATTR_GEN_AI_CONVERSATION_ID) ?? null,
    turn: rootText(trace, semconv.ATTR_HERMES_TURN_ID) ?? null,
    name: root?.source.name ?? '',
    agent: rootText(trace, semconv.ATTR_GEN_AI_AGENT_NAME) ?? null,
    model: modelOf(trace),
    service: root === undefined ? null : (textOf(root.source.resource.attributes, semconv.ATTR_SERVICE_NAME) ?? null),
    start: unixNanos(trace.base, from),
    duration: isRunning ? null : to - from,
    outcome: isRunning ? 'running' : outcomeOf(trace),
    tokens: { input: input ?? null, cached: cached ?? null, output: output ?? null },
    cost: costOf(trace),
    requests: tally.requests,
    tools: tally.tools,
    errors: tally.errors,
    blocked: tally.blocked.size,
    cancelled: tally.cancelled,
    children: tally.children - (root?.kind === SPAN_KIND.child ? 1 : 0),
    spans: trace.spans.length,
    running: trace.running,
    blockedCalls: blockedCalls(trace),
    waitsForHuman: waitingSpans(trace).length > 0,
    waitingCalls: waitingCalls(trace),
    excerpt: trace.excerpt ?? null,
  };
}

function costOf({ tally: { cost } }: Trace): TraceRow['cost'] {
  const { sum, known, estimated, unknown } = cost;
  if (known + unknown === 0) return null;
  return { usd: known === 0 ? null : sum, isEstimated: estimated > 0, unknown };
}

/** Whether its end is still to come. Work that a turn left in the background does not count. */
export function isUnderWay(trace: Trace): boolean {
  return trace.isTurn ? trace.root?.isRunning === true : trace.running > 0;
}

/**
 * What counts as the time of a trace, in nanoseconds from its base: that of the turn if it is one, else from its first start
 * to its last end. Of one that runs it goes up to `now`.
 */
export function spanOfTime(trace: Trace, now: number): { from: number; to: number } {
  if (!trace.isTurn || trace.root === undefined) {
    return { from: 0, to: isUnderWay(trace) ? Math.max(now, trace.extent) : trace.extent };
  }
  const { start, end } = trace.timesOf(trace.root);
  return { from: start, to: end === -1 ? Math.max(now, trace.extent, start) : end };
}

function modelOf(trace: Trace): string | null {
  const [first] = trace.tally.models.keys();
  return rootText(trace, semconv.ATTR_GEN_AI_REQUEST_MODEL) ?? first ?? null;
}

function outcomeOf({ root, tally }: Trace): Outcome {
  if (root === undefined) return 'incomplete';
  const attributes = factsOf(root.source);
  if (attributes[semconv.ATTR_HERMES_INCOMPLETE] === true) return 'incomplete';
  const said =
    textOf(attributes, semconv.ATTR_HERMES_TURN_OUTCOME) ?? textOf(attributes, semconv.ATTR_HERMES_SUBAGENT_STATUS);
  if (said !== undefined && OUTCOMES.has(said)) return said as Outcome;
  if ((root.flags & FLAG.error) !== 0) return 'error';
  if (isOurs(attributes) && root.kind !== SPAN_KIND.other) return tally.errors > 0 ? 'error' : 'completed';
  return tally.errors > 0 ? 'error' : 'ok';
}

function blockedCalls(trace: Trace): BlockedCall[] {
  const list: BlockedCall[] = [];
  for (const span of trace.tally.blocked) {
    if (list.length === MOST_BLOCKED) break;
    const approval = trace.approvalBelow(span)?.source;
    const name = textOf(factsOf(span.source), semconv.ATTR_GEN_AI_TOOL_NAME) ?? span.source.name;
    const by = whoOf(span.source, span.kind, approval) ?? null;
    list.push({ span: span.id, name, by, why: whyBlocked(span.source, approval) ?? null });
  }
  return list;
}

/** What waits, and what nobody has answered while its call goes on: who asks again gets the answer. */
function waitingSpans(trace: Trace): StoredSpan[] {
  const { waiting, unanswered } = trace.tally;
  const open = [...unanswered].filter((span) => {
    const call = trace.find(span.parentId);
    return call?.isRunning === true && trace.approvalBelow(call) === span;
  });
  return [...waiting, ...open];
}

function waitingCalls(trace: Trace): WaitingCall[] {
  const list: WaitingCall[] = [];
  for (const span of waitingSpans(trace)) {
    if (list.length === MOST_WAITING) break;
    const { attributes, name } = span.source;
    const call = trace.find(span.parentId);
    const tool =
      call?.kind === SPAN_KIND.tool ? textOf(factsOf(call.source), semconv.ATTR_GEN_AI_TOOL_NAME) : undefined;
    const why = textOf(attributes, semconv.ATTR_HERMES_APPROVAL_DESCRIPTION);
    list.push({
      span: span.id,
      name: tool ?? name,
      why: why === undefined ? null : short(why),
      request: textOf(attributes, semconv.ATTR_HERMES_APPROVAL_REQUEST_ID) ?? null,
    });
  }
  return list;
}

/** Why it is not whole, in words. */
export function incompleteReasons(trace: Trace): string[] {
  const { root, tally, leftOut } = trace;
  const reasons: string[] = [];
  const why = rootText(trace, semconv.ATTR_HERMES_INCOMPLETE_REASON);
  if (why !== undefined) reasons.push(why);
  else if (tally.incomplete > 0) reasons.push('spans_without_end');
  if (root?.source.attributes[semconv.ATTR_HERMES_PRODUCER_MISSING_RECORDS] !== undefined)
    reasons.push('missing_records');
  if (root !== undefined && root.parentId !== '' && trace.find(root.parentId) === undefined) {
    reasons.push('parent_elsewhere');
  }
  if (leftOut > 0) reasons.push('too_many_spans');
  return reasons;
}

import type { HrTime } from '@hermes-observer/core';
import { semconv } from '@hermes-observer/otel';
import type { TurnList } from '../wire.js';
import { rootText, type Trace } from './trace.js';
import { isUnderWay, rowOf } from './trace-row.js';
import type { TraceStore } from './trace-store.js';

export interface TurnQuery {
  /** @default 100, at most 1000 */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly before?: string;
  readonly outcome?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly tool?: string;
  /** Anywhere in names, ids, attributes and messages; case does not matter. */
  readonly text?: string;
  /** Starts at or after, in Unix milliseconds. */
  readonly from?: number;
  /** Starts before. */
  readonly to?: number;
  /** Only those with running spans, or only those without. */
  readonly live?: boolean;
}

export type TurnPage = TurnList;

const LIMIT = 100;
const MOST_LIMIT = 1_000;
/** A search gives way to others after so long. */
const SLICE_MILLIS = 10;
const MOST_LEVELS = 8;

/** The turns that pass, newest start first, those under way on top. */
export async function queryTurns(store: TraceStore, query: TurnQuery): Promise<TurnPage> {
  const limit = Math.min(Math.max(1, Math.floor(query.limit ?? LIMIT)), MOST_LIMIT);
  const at = store.version;
  const passes = filterOf(query);
  const found: Trace[] = [];
  let began = performance.now();
  for (const trace of store.all().toReversed()) {
    if (passes(trace)) found.push(trace);
    if (performance.now() - began < SLICE_MILLIS) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    began = performance.now();
  }
  const live = found.filter(isUnderWay);
  const ordered = live.length === 0 ? found : [...live, ...found.filter((trace) => !isUnderWay(trace))];
  const after = query.before === undefined ? 0 : placeAfter(ordered, query.before);
  const page = ordered.slice(after, after + limit);
  const last = page.at(-1);
  const hasMore = last !== undefined && after + limit < ordered.length;
  return { rows: page.map(rowOf), next: hasMore ? cursorOf(last) : null, total: ordered.length, at };
}

/** Names the place of a trace also when it is gone by then. */
function cursorOf(trace: Trace): string {
  const [seconds, nanos] = trace.base;
  return `${isUnderWay(trace) ? 1 : 0}.${seconds}.${nanos}.${trace.id}`;
}

function placeAfter(ordered: readonly Trace[], cursor: string): number {
  const [live, seconds, nanos, ...rest] = cursor.split('.');
  const id = rest.join('.');
  const known = ordered.findIndex((trace) => trace.id === id);
  if (known !== -1) return known + 1;
  const base: HrTime = [Number(seconds), Number(nanos)];
  const place = ordered.findIndex((trace) => {
    if (isUnderWay(trace)) return false;
    return live === '1' || trace.base[0] < base[0] || (trace.base[0] === base[0] && trace.base[1] < base[1]);
  });
  return place === -1 ? ordered.length : place;
}

function filterOf({ outcome, agent, model, tool, text, from, to, live }: TurnQuery): (trace: Trace) => boolean {
  const tests: ((trace: Trace) => boolean)[] = [];
  if (live !== undefined) tests.push((trace) => trace.running > 0 === live);
  if (from !== undefined) tests.push((trace) => millisOf(trace) >= from);
  if (to !== undefined) tests.push((trace) => millisOf(trace) < to);
  if (outcome === 'blocked') tests.push((trace) => trace.tally.blocked.size > 0);
  else if (outcome === 'errors') tests.push((trace) => trace.tally.errors > 0);
  else if (outcome !== undefined) tests.push((trace) => rowOf(trace).outcome === outcome);
  if (agent !== undefined) tests.push((trace) => rootText(trace, semconv.ATTR_GEN_AI_AGENT_NAME) === agent);
  if (model !== undefined) tests.push((trace) => trace.tally.models.has(model) || rowOf(trace).model === model);
  if (tool !== undefined) tests.push((trace) => trace.tally.toolNames.has(tool));
  if (text !== undefined && text !== '') tests.push(searchFor(text));
  return (trace) => tests.every((passes) => passes(trace));
}

const millisOf = ({ base: [seconds, nanos] }: Trace) => seconds * 1e3 + nanos / 1e6;

function searchFor(text: string): (trace: Trace) => boolean {
  const words = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  return (trace) =>
    words.test(trace.id) ||
    trace.spans.some(({ id, source }) => {
      if (words.test(source.name) || words.test(id) || isIn(words, source.attributes, 0)) return true;
      if (source.status.message !== undefined && words.test(source.status.message)) return true;
      return source.events.some(({ name, attributes }) => words.test(name) || isIn(words, attributes, 0));
    });
}

function isIn(words: RegExp, value: unknown, level: number): boolean {
  if (typeof value === 'string') return words.test(value);
  if (typeof value !== 'object' || value === null || level > MOST_LEVELS) return false;
  for (const key in value) if (isIn(words, (value as Record<string, unknown>)[key], level + 1)) return true;
  return false;
}

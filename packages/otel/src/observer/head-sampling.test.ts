import { type Link, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { createObserver } from './create-observer.js';
import type { Observer } from './observer.js';
import type { ObserverOptions } from './options.js';

const open: Observer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((observer) => observer.shutdown(200)));
});

/** An observer with the sampler that the variables name, and what it exports. */
function sampled(name: string | undefined, arg?: string, options: ObserverOptions = {}) {
  const exporter = new InMemorySpanExporter();
  const warnings: string[] = [];
  const env = { ...(name && { OTEL_TRACES_SAMPLER: name }), ...(arg && { OTEL_TRACES_SAMPLER_ARG: arg }) };
  const observer = createObserver({
    exporters: [exporter],
    onWarning: (text) => warnings.push(text),
    ...options,
    env: { ...env, ...options.env },
  });
  open.push(observer);
  const spans = async (): Promise<ReadableSpan[]> => {
    await observer.flush();
    return exporter.getFinishedSpans();
  };
  return { observer, spans, warnings };
}

let clock = 1_790_000_000n * 1_000_000_000n;
const tick = () => {
  clock += 1_000_000n;
  return { time: [Number(clock / 1_000_000_000n), Number(clock % 1_000_000_000n)] as [number, number] };
};

/** A turn with a request, a tool and a subagent that has turns and calls of its own: 6 spans. */
function tellTurn({ hub }: Observer, turn_id: string, traceparent?: string, session_id = `s-${turn_id}`): void {
  const ids = { session_id, task_id: `k-${turn_id}`, turn_id };
  const traceContext = traceparent === undefined ? {} : { traceContext: { traceparent } };
  hub.emit('pre_llm_call', { ...ids, model: 'm' }, { ...tick(), ...traceContext });
  hub.emit('pre_api_request', { ...ids, api_request_id: `${turn_id}:1`, model: 'm' }, tick());
  hub.emit('post_api_request', { ...ids, api_request_id: `${turn_id}:1`, model: 'm' }, tick());
  hub.emit('pre_tool_call', { ...ids, tool_name: 'delegate_task', tool_call_id: `${turn_id}:c` }, tick());
  const child = { child_session_id: `cs-${turn_id}`, child_subagent_id: `a-${turn_id}` };
  const parents = { parent_session_id: session_id, parent_turn_id: turn_id };
  hub.emit('subagent_start', { ...parents, ...child, child_role: 'leaf' }, tick());
  const own = { session_id: child.child_session_id, task_id: child.child_subagent_id, turn_id: `${turn_id}:child` };
  hub.emit('pre_llm_call', { ...own, model: 'm' }, tick());
  hub.emit('pre_api_request', { ...own, api_request_id: `${turn_id}:child:1`, model: 'm' }, tick());
  hub.emit('post_api_request', { ...own, api_request_id: `${turn_id}:child:1`, model: 'm' }, tick());
  hub.emit('pre_tool_call', { ...own, tool_name: 'web_search', tool_call_id: `${turn_id}:cc` }, tick());
  hub.emit('post_tool_call', { ...own, tool_name: 'web_search', tool_call_id: `${turn_id}:cc`, status: 'ok' }, tick());
  hub.emit('on_session_end', { ...own, completed: true }, tick());
  hub.emit('subagent_stop', { ...parents, ...child, child_status: 'completed' }, tick());
  hub.emit(
    'post_tool_call',
    { ...ids, tool_name: 'delegate_task', tool_call_id: `${turn_id}:c`, status: 'ok' },
    tick(),
  );
  hub.emit('on_session_end', { ...ids, completed: true }, tick());
}
const SPANS_A_TURN = 6;

const upstream = (traceId: string, flags: string) => `00-${traceId}-00f067aa0ba902b7-${flags}`;
/** Below `ratio` of 0.5 for a ratio sampler, and above. */
const LOW = '00000000000000000000000000000001';
const HIGH = '000000000000000000000000fffffffe';

describe('a turn with its subagent, all of it or none', () => {
  it.each<[string | undefined, string | undefined, string, string | undefined, boolean]>([
    [undefined, undefined, 'no caller', undefined, true],
    [undefined, undefined, 'a sampled caller', upstream(LOW, '01'), true],
    [undefined, undefined, 'a caller that is not sampled', upstream(LOW, '00'), false],
    ['parentbased_always_on', undefined, 'no caller', undefined, true],
    ['parentbased_always_on', undefined, 'a caller that is not sampled', upstream(LOW, '00'), false],
    ['parentbased_always_on', undefined, 'a caller with a random id, not sampled', upstream(LOW, '02'), false],
    ['always_on', undefined, 'a caller that is not sampled', upstream(LOW, '00'), true],
    ['always_off', undefined, 'no caller', undefined, false],
    ['always_off', undefined, 'a sampled caller', upstream(LOW, '01'), false],
    ['parentbased_always_off', undefined, 'no caller', undefined, false],
    ['parentbased_always_off', undefined, 'a sampled caller', upstream(LOW, '01'), true],
    ['parentbased_traceidratio', '0', 'no caller', undefined, false],
    ['parentbased_traceidratio', '0', 'a sampled caller', upstream(HIGH, '01'), true],
    ['parentbased_traceidratio', '1', 'a caller that is not sampled', upstream(LOW, '00'), false],
    ['traceidratio', '0.5', 'a caller that is not sampled, of a low id', upstream(LOW, '00'), true],
    ['traceidratio', '0.5', 'a sampled caller of a high id', upstream(HIGH, '01'), false],
    ['ParentBased_TraceIdRatio', '0', 'no caller', undefined, false],
  ])('%s %s below %s', async (name, arg, _what, traceparent, isKept) => {
    const { observer, spans, warnings } = sampled(name, arg);
    tellTurn(observer, 't', traceparent);
    const kept = await spans();
    expect(kept.length).toBe(isKept ? SPANS_A_TURN : 0);
    const ids = new Set(kept.map((span) => span.spanContext().traceId));
    expect(ids.size).toBe(isKept ? 1 : 0);
    if (isKept && traceparent !== undefined) expect([...ids]).toEqual([traceparent.split('-')[1]]);
    expect(observer.counts.openSpans).toBe(0);
    if (isKept) expect(warnings).toEqual([]);
  });
});

describe('a ratio of the traces', () => {
  const turns = 2_000;

  it('keeps each trace whole or leaves it out, near the ratio, and the same ones in each process', async () => {
    const runs = [];
    for (const name of ['traceidratio', 'parentbased_traceidratio']) {
      const { observer, spans } = sampled(name, '0.25');
      for (let n = 0; n < turns; n++) tellTurn(observer, `turn-${n}`);
      runs.push(await spans());
    }
    const [one = [], other = []] = runs;
    const counts = new Map<string, number>();
    for (const span of one) {
      const { traceId } = span.spanContext();
      counts.set(traceId, (counts.get(traceId) ?? 0) + 1);
    }
    expect(new Set(counts.values())).toEqual(new Set([SPANS_A_TURN]));
    // 5 standard deviations; the ids are derived from the turn ids, so this is the same in every run.
    expect(Math.abs(counts.size - turns / 4)).toBeLessThan(5 * Math.sqrt((turns * 3) / 16));
    const names = (list: ReadableSpan[]) => new Set(list.map((span) => span.spanContext().traceId));
    expect(names(other)).toEqual(names(one));
  });

  it('is all, with a warning, where the number is none', async () => {
    const { observer, spans, warnings } = sampled('parentbased_traceidratio', 'half');
    tellTurn(observer, 't');
    expect((await spans()).length).toBe(SPANS_A_TURN);
    expect(warnings).toEqual([expect.stringContaining('OTEL_TRACES_SAMPLER_ARG')]);
  });
});

describe('what was decided is told on', () => {
  it('to those whom the agent calls, by the flag of its context', async () => {
    for (const [name, flag] of [
      ['always_on', 1],
      ['always_off', 0],
    ] as const) {
      const { observer } = sampled(name);
      observer.hub.emit('pre_llm_call', { turn_id: 't', session_id: 's', model: 'm' });
      const context = observer.contextOf({ turnId: 't' });
      expect(context && trace.getSpanContext(context)).toMatchObject({ traceFlags: flag });
    }
  });

  it('by the program that started this one, in TRACEPARENT', async () => {
    const { observer, spans } = sampled(undefined, undefined, { env: { TRACEPARENT: upstream(LOW, '00') } });
    tellTurn(observer, 'first');
    expect((await spans()).length).toBe(0);
  });

  it('but not by a caller that a turn is only linked to', async () => {
    const { observer, spans } = sampled(undefined, undefined, { caller: 'link' });
    tellTurn(observer, 't', upstream(LOW, '00'));
    const kept = await spans();
    expect(kept.length).toBe(SPANS_A_TURN);
    const links: Link[] = kept.flatMap((span) => span.links);
    expect(links.map(({ context }) => [context.traceId, context.traceFlags])).toEqual([[LOW, 0]]);
  });

  it('and each turn of a session decides for itself, whatever became of the one before', async () => {
    const { observer, spans } = sampled(undefined);
    tellTurn(observer, 'one', upstream(LOW, '00'), 'session');
    tellTurn(observer, 'two', undefined, 'session');
    const kept = await spans();
    expect(kept.length).toBe(SPANS_A_TURN);
    expect(new Set(kept.map((span) => span.attributes['hermes.turn.id']))).toEqual(new Set(['two', 'two:child']));
  });
});

it('a subagent whose turn nobody knows is a trace of its own, which is decided by its own id', async () => {
  const { observer, spans } = sampled('parentbased_traceidratio', '0.5');
  const lone = (n: number) => {
    const child = { child_session_id: `cs-${n}`, child_subagent_id: `a-${n}`, child_role: 'leaf' };
    observer.hub.emit('subagent_start', { ...child, parent_session_id: 'gone', parent_turn_id: 'gone' }, tick());
    const own = { session_id: `cs-${n}`, task_id: `a-${n}`, turn_id: `ct-${n}` };
    observer.hub.emit('pre_tool_call', { ...own, tool_name: 'web_search', tool_call_id: 'c' }, tick());
    observer.hub.emit('post_tool_call', { ...own, tool_name: 'web_search', tool_call_id: 'c' }, tick());
    observer.hub.emit('subagent_stop', { ...child, child_status: 'completed', parent_session_id: 'gone' }, tick());
  };
  for (let n = 0; n < 200; n++) lone(n);
  const counts = new Map<string, number>();
  for (const span of await spans()) {
    const { traceId } = span.spanContext();
    counts.set(traceId, (counts.get(traceId) ?? 0) + 1);
  }
  expect(new Set(counts.values())).toEqual(new Set([2]));
  expect(counts.size).toBeGreaterThan(50);
  expect(counts.size).toBeLessThan(150);
});

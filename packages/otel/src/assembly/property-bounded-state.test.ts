import { HookMeta, type Payload } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { Assembler } from './assembler.js';
import { collectGarbage, usedHeap } from './collect-garbage.test-support.js';
import { type AssemblyLimits, DEFAULT_LIMITS } from './limits.js';
import type { AnyNode } from './span-node.js';
import type { SpanSink } from './span-sink.js';

const TURNS = 10_000;
const MEGABYTE = 1024 * 1024;

/** Counts spans and holds none of them. */
class CountingSink implements SpanSink {
  started = 0;
  ended = 0;
  onStart: ((node: AnyNode) => void) | undefined;

  start(node: AnyNode): void {
    this.started++;
    this.onStart?.(node);
  }
  update(): void {}
  attemptFailed(): void {}
  policyDecision(): void {}
  end(): void {
    this.ended++;
  }
}

class Feed {
  readonly sink = new CountingSink();
  readonly assembler: Assembler;
  #millis = 1;

  constructor(limits: Partial<AssemblyLimits> = {}) {
    this.assembler = new Assembler(this.sink, limits);
  }

  give(hook: string, payload: Payload, producer = 'p'): void {
    const millis = this.#millis++;
    this.assembler.handle(payload, new HookMeta(hook, [Math.floor(millis / 1000), (millis % 1000) * 1e6], producer));
  }

  /** A turn that asks a model and runs a tool, and is never heard of again. */
  silentTurn(n: number, session: string): void {
    const ids = { turn_id: `turn-${n}`, session_id: session, task_id: `task-${session}` };
    this.give('pre_llm_call', ids);
    this.give('pre_api_request', { ...ids, api_request_id: `request-${n}`, model: 'm' });
    this.give('pre_tool_call', { ...ids, tool_call_id: `call-${n}`, tool_name: 'terminal' });
  }
}

describe('10,000 turns that never end', () => {
  it('of one session stay within the turns a session may have open', () => {
    const feed = new Feed();
    const { assembler, sink } = feed;
    let most = 0;
    for (let n = 0; n < TURNS; n++) {
      feed.silentTurn(n, 'session');
      most = Math.max(most, assembler.openTraces);
    }
    expect(most).toBe(DEFAULT_LIMITS.maxOpenTurnsPerSession);
    expect(assembler.openSpans).toBe(3 * DEFAULT_LIMITS.maxOpenTurnsPerSession);
    expect(assembler.stats.closedBySessionLimit).toBe(TURNS - DEFAULT_LIMITS.maxOpenTurnsPerSession);
    assembler.closeAll();
    expect([sink.started, sink.ended, assembler.openSpans]).toEqual([3 * TURNS, 3 * TURNS, 0]);
  });

  it('of 10,000 sessions stay within the traces that may be open', () => {
    const feed = new Feed();
    const { assembler, sink } = feed;
    let most = 0;
    for (let n = 0; n < TURNS; n++) {
      feed.silentTurn(n, `session-${n}`);
      most = Math.max(most, assembler.openTraces);
    }
    expect(most).toBe(DEFAULT_LIMITS.maxOpenTraces);
    expect(assembler.openSpans).toBe(3 * DEFAULT_LIMITS.maxOpenTraces);
    expect(assembler.stats.closedByTraceLimit).toBe(TURNS - DEFAULT_LIMITS.maxOpenTraces);
    assembler.closeAll();
    expect([sink.started, sink.ended, assembler.openSpans]).toEqual([3 * TURNS, 3 * TURNS, 0]);
  });

  it('of many sessions take a bounded heap: what the second 20,000 add is a fraction of the first', async () => {
    const feed = new Feed();
    const { assembler } = feed;
    const before = await usedHeap();
    for (let n = 0; n < 2 * TURNS; n++) feed.silentTurn(n, `session-${n}`);
    const full = await usedHeap();
    for (let n = 2 * TURNS; n < 4 * TURNS; n++) feed.silentTurn(n, `session-${n}`);
    const later = await usedHeap();
    expect(assembler.openTraces).toBe(DEFAULT_LIMITS.maxOpenTraces);
    expect(full - before).toBeLessThan(100 * MEGABYTE);
    expect(later - full).toBeLessThan(0.2 * (full - before));
  });
});

describe('what assembly lets go of', () => {
  it('is each turn of a long session that is neither open, nor remembered, nor the last', async () => {
    const feed = new Feed({ maxClosedTurns: 10 });
    const { assembler, sink } = feed;
    const kept: WeakRef<AnyNode>[] = [];
    sink.onStart = (node) => {
      if (node.kind === 'turn') kept.push(new WeakRef(node));
    };
    for (let n = 0; n < 200; n++) {
      feed.give('pre_llm_call', { turn_id: `turn-${n}`, session_id: 'session' });
      feed.give('on_session_end', { turn_id: `turn-${n}`, session_id: 'session', completed: true });
    }
    await collectGarbage();
    expect(assembler.openTraces).toBe(0);
    expect(kept.filter((node) => node.deref() !== undefined).length).toBeLessThanOrEqual(20);
  });

  it.each([
    ['tool calls without any id', 'pre_tool_call', () => ({ tool_name: 'terminal' })],
    ['approvals without any id', 'pre_approval_request', () => ({ surface: 'cli', pattern_key: 'rm' })],
    ['requests without any id', 'pre_api_request', (n: number) => ({ api_request_id: `r-${n}` })],
    ['tools of ever new names', 'pre_tool_call', (n: number) => ({ tool_name: `tool-${n}` })],
    ['approvals of ever new calls', 'pre_approval_request', (n: number) => ({ tool_call_id: `call-${n}` })],
  ])('are %s, once they were closed', async (_, hook, payload) => {
    const feed = new Feed({ maxOpenTraces: 10, maxKeysPerTurn: 10 });
    const { assembler, sink } = feed;
    const kept: WeakRef<AnyNode>[] = [];
    sink.onStart = (node) => kept.push(new WeakRef(node));
    for (let n = 0; n < 300; n++) feed.give(hook, payload(n));
    await collectGarbage();
    expect(assembler.openTraces).toBe(10);
    expect(kept.filter((node) => node.deref() !== undefined).length).toBeLessThanOrEqual(40);
  });

  it('are questions about an approval that nobody answered', async () => {
    const feed = new Feed({ maxClosedTurns: 10 });
    const { sink } = feed;
    const kept: WeakRef<AnyNode>[] = [];
    sink.onStart = (node) => kept.push(new WeakRef(node));
    for (let n = 0; n < 200; n++) {
      const turn = { turn_id: `turn-${n}`, session_id: 'session' };
      feed.give('pre_llm_call', turn);
      feed.give('on_human_input_request', { session_id: 'session', kind: 'approval', request_id: `ask-${n}` });
      feed.give('on_session_end', turn);
    }
    await collectGarbage();
    const questions = kept.map((node) => node.deref()).filter((node) => node?.kind === 'human_input');
    expect(questions.length).toBeLessThanOrEqual(20);
  });

  it('are keys of ended calls beyond the bound, while an older call runs on', () => {
    const feed = new Feed({ maxKeysPerTurn: 10 });
    const { assembler } = feed;
    const call = (n: number) => ({ turn_id: 't', tool_call_id: `call-${n}`, tool_name: 'x' });
    for (let n = 0; n < 100; n++) {
      feed.give('pre_tool_call', call(n));
      if (n > 0) feed.give('post_tool_call', call(n));
    }
    // The second end of a forgotten key is one that comes too late; that of a kept one changes nothing.
    let made = 0;
    feed.sink.onStart = () => made++;
    for (let n = 1; n < 100; n++) feed.give('post_tool_call', call(n));
    expect(assembler.stats.tooLate).toBeGreaterThanOrEqual(80);
    expect(made).toBe(0);
    // Keys that come again count on: no two spans of the turn share an id.
    const again: number[] = [];
    feed.sink.onStart = (node) => again.push(node.ordinal);
    for (let n = 1; n < 50; n++) feed.give('pre_tool_call', call(n));
    expect(again.every((ordinal) => ordinal >= 80)).toBe(true);
  });
});

describe('work and state that one sender could blow up', () => {
  it('are numbers that come in falling order with gaps', () => {
    const { assembler } = new Feed();
    const started = process.hrtime.bigint();
    for (let seq = 80_000; seq > 0; seq -= 2) {
      assembler.handle({}, new HookMeta('observer_hello', [1, 0], 'p', seq));
    }
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(1000);
  });

  it('are children of one turn that never stop', () => {
    const feed = new Feed();
    const { assembler, sink } = feed;
    feed.give('pre_llm_call', { turn_id: 't', session_id: 's' });
    const children = DEFAULT_LIMITS.maxOpenSpansPerTurn + 2_000;
    for (let n = 0; n < children; n++)
      feed.give('subagent_start', { parent_turn_id: 't', child_session_id: `child-${n}` });
    expect(assembler.openSpans).toBeLessThanOrEqual(DEFAULT_LIMITS.maxOpenSpansPerTurn + 1);
    assembler.closeAll();
    expect(sink.ended).toBe(sink.started);
  });

  it('are sessions that one turn goes through', () => {
    const feed = new Feed();
    const { assembler } = feed;
    const started = process.hrtime.bigint();
    for (let n = 0; n < 20_000; n++) feed.give('on_stream_delta', { turn_id: 't', session_id: `session-${n}` });
    feed.give('pre_llm_call', { turn_id: 't', session_id: 'first' });
    for (let n = 0; n < 20_000; n++)
      feed.give('pre_tool_call', { turn_id: 't', session_id: `session-${n}`, tool_call_id: 'c' });
    expect(assembler.openTraces).toBe(1);
    expect(Number(process.hrtime.bigint() - started) / 1e6).toBeLessThan(1500);
  });
});

import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from './limits.js';
import { Scene, seconds } from './scene.test-support.js';

describe('the default limits', () => {
  it('are those of the design', () => {
    expect(DEFAULT_LIMITS).toEqual({
      maxOpenTraces: 4096,
      maxOpenTurnsPerSession: 16,
      maxOpenSpansPerTurn: 10_000,
      maxOpenChildrenPerTrace: 10_000,
      maxKeysPerTurn: 10_000,
      lateWindowMillis: 600_000,
      maxClosedTurns: 10_000,
      maxSessions: 10_000,
      maxProducers: 1_000,
    });
  });
});

describe('open children', () => {
  it('of one trace beyond the bound are closed, the oldest first, and counted', () => {
    const scene = new Scene({ maxOpenChildrenPerTrace: 2 }).at(1, 'pre_llm_call', { turn_id: 't', session_id: 's' });
    for (let i = 0; i < 4; i++) {
      scene.at(2 + i, 'subagent_start', { parent_turn_id: 't', parent_session_id: 's', child_session_id: `c${i}` });
    }
    expect([0, 1, 2, 3].map((i) => scene.nth('child', i, 4).incomplete)).toEqual([
      'idle_timeout',
      'idle_timeout',
      undefined,
      undefined,
    ]);
    expect(scene.stats.closedBySpanLimit).toBe(2);
  });
});

describe('open traces', () => {
  it('beyond the bound are closed, the longest silent one first, and counted', () => {
    const scene = new Scene({ maxOpenTraces: 2 });
    for (const [second, turn_id] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ] as const)
      scene.at(second, 'pre_llm_call', { turn_id });
    const closed = scene.all('turn').filter(({ end }) => end !== undefined);
    expect(closed.length).toBe(1);
    expect(closed[0]).toMatchObject({ turnId: 'a', end: seconds(1), incomplete: 'idle_timeout' });
    expect(scene.stats.closedByTraceLimit).toBe(1);
  });

  it('that had records since the last look are spared', () => {
    const scene = new Scene({ maxOpenTraces: 2 });
    for (const turn_id of ['a', 'b', 'c']) scene.at(1, 'pre_llm_call', { turn_id });
    scene.at(2, 'on_stream_delta', { turn_id: 'b' }).at(3, 'pre_llm_call', { turn_id: 'd' });
    expect(
      scene
        .all('turn')
        .filter(({ end }) => end === undefined)
        .map(({ turnId }) => turnId),
    ).toContain('b');
    expect(scene.assembler.openTraces).toBe(2);
  });

  it('count until all their spans have ended', () => {
    const scene = new Scene()
      .at(1, 'pre_llm_call', { turn_id: 'a' })
      .at(2, 'pre_auxiliary_call', { turn_id: 'a', aux_task: 'x' });
    scene.at(3, 'on_session_end', { turn_id: 'a' });
    expect([scene.assembler.openTraces, scene.assembler.openSpans]).toEqual([1, 1]);
    scene.at(4, 'post_auxiliary_call', { turn_id: 'a', aux_task: 'x' });
    expect([scene.assembler.openTraces, scene.assembler.openSpans]).toEqual([0, 0]);
  });
});

describe('open spans of a turn', () => {
  it('beyond the bound are closed, the oldest first, never the turn itself, and counted', () => {
    const scene = new Scene({ maxOpenSpansPerTurn: 3 });
    for (let n = 0; n < 5; n++) scene.at(n + 1, 'pre_tool_call', { turn_id: 't', tool_call_id: `c${n}` });
    expect(scene.all('tool').map(({ incomplete }) => incomplete)).toEqual([
      'idle_timeout',
      'idle_timeout',
      'idle_timeout',
      undefined,
      undefined,
    ]);
    expect(scene.one('turn').end).toBeUndefined();
    expect(scene.stats.closedBySpanLimit).toBe(3);
    expect(scene.assembler.openSpans).toBe(3);
  });
});

describe('what is kept of one child', () => {
  it('does not grow with the turns it runs', () => {
    const scene = new Scene().at(0, 'pre_llm_call', { turn_id: 't', session_id: 's' });
    scene.at(1, 'subagent_start', { parent_turn_id: 't', parent_session_id: 's', child_session_id: 'c' });
    for (let i = 0; i < 1_000; i++) scene.at(2, 'pre_llm_call', { turn_id: `ct${i}`, session_id: 'c' });
    expect(scene.one('child').invocation.turnIds).toHaveLength(256);
  });
});

describe('what is kept of code that ran', () => {
  it('is nothing', () => {
    const scene = new Scene().at(0, 'pre_llm_call', { turn_id: 't', session_id: 's' });
    for (let i = 0; i < 100; i++) {
      const call = { turn_id: 't', session_id: 's', tool_name: 'execute_code', tool_call_id: `c${i}` };
      scene.at(1, 'pre_tool_call', call).at(2, 'post_tool_call', { ...call, status: 'ok' });
    }
    expect(scene.one('turn').invocation.containers.length).toBeLessThanOrEqual(1);
  });
});

it('what is let go of is counted', () => {
  const scene = new Scene({ maxClosedTurns: 10, maxSessions: 10, maxProducers: 10 });
  for (let i = 0; i < 100; i++) {
    const ids = { turn_id: `t${i}`, session_id: `s${i}` };
    scene
      .at(i, 'pre_llm_call', ids, { producer: `p${i}`, seq: 1 })
      .at(i, 'on_session_end', ids, { producer: `p${i}`, seq: 2 });
  }
  const { forgottenTurns, forgottenSessions, forgottenProducers } = scene.stats;
  expect(forgottenTurns).toBe(90);
  expect(forgottenProducers).toBe(90);
  expect(forgottenSessions).toBeGreaterThan(70);
});

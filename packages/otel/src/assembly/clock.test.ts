import { describe, expect, it } from 'vitest';
import { DEFAULT_CLOCK } from './clock.js';
import { Scene, seconds } from './scene.test-support.js';

const ids = { session_id: 's', task_id: 's', turn_id: 't1' };
const second = { session_id: 's', task_id: 's', turn_id: 't2' };
const due = (scene: Scene, at: number) => scene.assembler.due(seconds(at));

/** Gives the decisions that are due back as records, as a live service does. */
function settle(scene: Scene, at: number): Scene {
  for (const decision of due(scene, at)) scene.at(at, 'observer_closed', { ...decision });
  return scene;
}

describe('a turn that was superseded', () => {
  it('is closed 60 s after its last record when nothing in it is open', () => {
    const scene = new Scene().at(1, 'pre_llm_call', ids).at(10, 'pre_llm_call', second);
    expect(due(scene, 60)).toEqual([]);
    expect(due(scene, 61)).toEqual([{ scope: 'turn', key: 't1', reason: 'next_turn' }]);
    settle(scene, 61);
    expect(scene.nth('turn', 0, 2).incomplete).toBe('next_turn');
    expect(scene.nth('turn', 0, 2).end).toEqual(seconds(1));
  });

  it('is left to the idle time while something in it is open', () => {
    const scene = new Scene().at(0, 'pre_llm_call', ids).at(1, 'pre_tool_call', { ...ids, tool_call_id: 'c' });
    scene.at(10, 'pre_llm_call', second);
    expect(due(scene, 600)).toEqual([]);
    expect(due(scene, 1_801)).toContainEqual({ scope: 'trace', key: 't1', reason: 'idle_timeout' });
  });

  it('is alive again with its next record', () => {
    const scene = new Scene().at(0, 'pre_llm_call', ids).at(10, 'pre_llm_call', second);
    scene.at(50, 'post_llm_call', ids);
    expect(due(scene, 120)).toEqual([]);
  });
});

describe('a turn whose session was finalized', () => {
  it('is closed 60 s after its last record, as finalized', () => {
    const scene = new Scene().at(0, 'pre_llm_call', ids).at(5, 'on_session_finalize', { session_id: 's' });
    expect(due(scene, 61)).toEqual([{ scope: 'turn', key: 't1', reason: 'session_finalized' }]);
  });
});

describe('a turn that died of a request', () => {
  const failed = { ...ids, api_request_id: 'r', error: { type: 'BadRequestError' } };

  it('is closed after 60 s when the agent will not try again', () => {
    const scene = new Scene().at(0, 'pre_llm_call', ids).at(1, 'pre_api_request', { ...ids, api_request_id: 'r' });
    scene.at(2, 'api_request_error', { ...failed, retryable: false });
    expect(due(scene, 62)).toEqual([{ scope: 'turn', key: 't1', reason: 'idle_timeout' }]);
    expect(settle(scene, 62).one('turn')).toMatchObject({
      outcome: 'failed',
      errorType: 'BadRequestError',
      end: [2, 0],
    });
  });

  it('is waited for when the failure can be retried, and when a fallback goes on', () => {
    const scene = new Scene().at(0, 'pre_llm_call', ids).at(1, 'pre_api_request', { ...ids, api_request_id: 'r' });
    scene.at(2, 'api_request_error', { ...failed, retryable: true });
    expect(due(scene, 100)).toEqual([]);
    scene.at(101, 'api_request_error', { ...failed, retryable: false });
    scene.at(102, 'pre_api_request', { ...ids, api_request_id: 'r', model: 'other' });
    expect(due(scene, 300)).toEqual([]);
  });
});

describe('a silent trace', () => {
  it('is closed at its last record after the idle time', () => {
    const scene = new Scene().at(0, 'pre_llm_call', ids).at(7, 'pre_tool_call', { ...ids, tool_call_id: 'c' });
    expect(due(scene, 1_806)).toEqual([]);
    expect(settle(scene, 1_807).one('turn')).toMatchObject({ incomplete: 'idle_timeout', end: [7, 0] });
    expect(scene.assembler.openSpans).toBe(0);
  });

  it('is kept alive by its children', () => {
    const scene = new Scene().at(0, 'pre_llm_call', ids);
    scene.at(1, 'subagent_start', { parent_turn_id: 't1', parent_session_id: 's', child_session_id: 'c' });
    scene.at(1_700, 'pre_llm_call', { session_id: 'c', turn_id: 'ct' });
    expect(due(scene, 1_900)).toEqual([]);
  });

  it('waits a day for a person', () => {
    const scene = new Scene().at(0, 'pre_llm_call', ids).at(1, 'pre_approval_request', { ...ids, pattern_key: 'k' });
    expect(due(scene, 80_000)).toEqual([]);
    expect(due(scene, 86_401)).toHaveLength(1);
  });

  it('that names no turn is known by its source', () => {
    const scene = new Scene().at(0, 'pre_tool_call', { tool_name: 'x' }, { producer: 'one', seq: 3 });
    expect(due(scene, 2_000)).toEqual([{ scope: 'trace', key: 'record\0one\u00003', reason: 'idle_timeout' }]);
    expect(settle(scene, 2_000).one('tool').incomplete).toBe('idle_timeout');
  });
});

it('the times are those of the design', () => {
  expect(DEFAULT_CLOCK).toEqual({ settleMillis: 60_000, idleMillis: 1_800_000, personMillis: 86_400_000 });
});

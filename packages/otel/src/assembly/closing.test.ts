import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const ids = { turn_id: 't', session_id: 's', task_id: 'k' };
const request = { ...ids, api_request_id: 'r' };
const tool = { ...ids, tool_call_id: 'c', tool_name: 'terminal' };
const opened = () => new Scene().at(1, 'pre_llm_call', ids);
const next = (scene: Scene, second: number) => scene.at(second, 'pre_llm_call', { ...ids, turn_id: 'next' });

describe('a later user turn of the same session', () => {
  it('closes what an early return left open, at the last record of the old turn', () => {
    const scene = next(opened().at(2, 'pre_tool_call', tool), 8)
      .at(9, 'on_session_end', { ...ids, turn_id: 'next' })
      .close();
    expect(scene.nth('turn', 0, 2)).toMatchObject({ end: seconds(2), incomplete: 'next_turn', outcome: 'incomplete' });
    expect(scene.one('tool')).toMatchObject({ end: seconds(2), incomplete: 'next_turn' });
    expect(scene.nth('turn', 1, 2)).toMatchObject({ end: seconds(9), incomplete: undefined });
  });

  it('does not close an old turn whose own end still comes', () => {
    const scene = next(opened(), 8).at(9, 'on_session_end', { ...ids, completed: true });
    expect(scene.nth('turn', 0, 2)).toMatchObject({ end: seconds(9), outcome: 'completed', incomplete: undefined });
  });

  it('does not close an old turn of which a later record comes: turns can run at once', () => {
    const scene = next(opened(), 8).at(9, 'pre_tool_call', tool).close('shutdown');
    expect(scene.nth('turn', 0, 2)).toMatchObject({ end: seconds(9), incomplete: 'shutdown' });
  });

  it('closes the oldest when more than sixteen are open', () => {
    const scene = new Scene();
    for (let n = 0; n < 18; n++) scene.at(n + 1, 'pre_llm_call', { turn_id: `t${n}`, session_id: 's' });
    expect(
      scene
        .all('turn')
        .filter(({ end }) => end !== undefined)
        .map(({ turnId }) => turnId),
    ).toEqual(['t0', 't1']);
    expect(scene.all('turn')[0]).toMatchObject({ end: seconds(1), incomplete: 'next_turn' });
    expect(scene.stats.closedBySessionLimit).toBe(2);
  });
});

describe.each(['on_session_finalize', 'on_session_reset'])('%s', (hook) => {
  it('closes open turns of the session at the last record of each', () => {
    const scene = opened().at(3, 'pre_tool_call', tool).at(9, hook, { session_id: 's' }).close();
    expect(scene.one('turn')).toMatchObject({ end: seconds(3), incomplete: 'session_finalized' });
  });

  it('closes open turns of old_session_id as well', () => {
    const scene = opened().at(9, hook, { session_id: 'new', old_session_id: 's' }).close();
    expect(scene.one('turn')).toMatchObject({ end: seconds(1), incomplete: 'session_finalized' });
  });

  it('does not close their running children', () => {
    const scene = opened()
      .at(2, 'subagent_start', { parent_turn_id: 't', child_session_id: 'c' })
      .at(3, hook, { session_id: 's' });
    scene.at(7, 'pre_api_request', { session_id: 'c' }).close();
    expect(scene.one('child')).toMatchObject({ end: seconds(7), incomplete: 'shutdown' });
    expect(scene.one('turn')).toMatchObject({ end: seconds(2), incomplete: 'session_finalized' });
  });

  it.each([{ turn_id: 't', session_id: 's' }, { session_id: 's' }])(
    'gives way to the end of a turn that still comes: %j',
    (end) => {
      const scene = opened()
        .at(3, hook, { session_id: 's' })
        .at(4, 'on_session_end', { ...end, completed: true })
        .close();
      expect(scene.one('turn')).toMatchObject({ end: seconds(4), outcome: 'completed', incomplete: undefined });
    },
  );

  it('gives way to later records without an end: the turn is open like any other', () => {
    const scene = opened().at(3, hook, { session_id: 's' }).at(5, 'pre_tool_call', tool).close();
    expect(scene.one('turn')).toMatchObject({ end: seconds(5), incomplete: 'shutdown' });
  });

  it('spares other sessions', () => {
    const scene = opened().at(3, hook, { session_id: 'other' }).close();
    expect(scene.one('turn').incomplete).toBe('shutdown');
  });
});

describe('the end of a replay', () => {
  it('closes all, at the last record of each trace, children included', () => {
    const scene = opened()
      .at(2, 'pre_api_request', request)
      .at(3, 'subagent_start', { parent_turn_id: 't', child_session_id: 'c' })
      .at(7, 'pre_tool_call', { session_id: 'c', tool_call_id: 'c1' })
      .at(9, 'pre_llm_call', { turn_id: 'other', session_id: 'o' })
      .close();
    for (const node of [scene.nth('turn', 0, 2), scene.one('request'), scene.one('child'), scene.one('tool')]) {
      expect(node).toMatchObject({ end: seconds(7), incomplete: 'shutdown' });
    }
    expect(scene.nth('turn', 1, 2)).toMatchObject({ end: seconds(9), incomplete: 'shutdown' });
  });

  it('ends children before parents', () => {
    const scene = opened()
      .at(2, 'pre_tool_call', { ...tool, tool_name: 'delegate_task' })
      .at(3, 'subagent_start', { parent_turn_id: 't', child_session_id: 'c' })
      .at(4, 'pre_api_request', { session_id: 'c' })
      .close();
    expect(scene.sink.ended.map(({ kind }) => kind)).toEqual(['request', 'child', 'tool', 'turn']);
  });

  it('closes what a late record opened, and auxiliary requests that outlived their turn', () => {
    const scene = opened()
      .at(2, 'pre_auxiliary_call', { ...ids, aux_task: 'vision' })
      .at(3, 'on_session_end', ids)
      .at(4, 'pre_tool_call', tool)
      .close();
    expect(scene.one('auxiliary')).toMatchObject({ end: seconds(4), incomplete: 'shutdown' });
    expect(scene.one('tool')).toMatchObject({ end: seconds(4), incomplete: 'shutdown' });
  });

  it('takes the time of the latest record, not of the last one, when the clock steps back', () => {
    expect(opened().at(9, 'pre_tool_call', tool).at(4, 'on_stream_delta', ids).close().one('turn').end).toEqual(
      seconds(9),
    );
  });

  it('counts records of hooks that make no span as records of their turn', () => {
    expect(opened().at(6, 'on_stream_delta', { turn_id: 't' }).close().one('turn').end).toEqual(seconds(6));
  });

  it('twice changes nothing', () => {
    const scene = opened().close('shutdown').close('idle_timeout');
    expect(scene.one('turn').incomplete).toBe('shutdown');
  });
});

describe('a turn that died of its request', () => {
  const failed = () =>
    opened()
      .at(2, 'pre_api_request', request)
      .at(3, 'api_request_error', { ...request, error: { type: 'AuthError' } });

  it('closed by us with that as its last record has failed of that error', () => {
    expect(failed().close().one('turn')).toMatchObject({
      end: seconds(3),
      outcome: 'failed',
      errorType: 'AuthError',
      incomplete: 'shutdown',
    });
  });

  it.each(['transform_api_error_classification', 'transform_tool_result'])('is so even with a %s after it', (hook) => {
    const scene = failed().at(4, hook, ids).close();
    expect(scene.one('turn')).toMatchObject({ outcome: 'failed', errorType: 'AuthError', end: seconds(4) });
  });

  it.each(['on_stream_delta', 'post_llm_call', 'pre_api_request'])('is none with a later %s', (hook) => {
    expect(failed().at(4, hook, request).close().one('turn')).toMatchObject({
      outcome: 'incomplete',
      errorType: undefined,
    });
  });

  it('is none with a tool open', () => {
    const scene = opened().at(2, 'pre_tool_call', tool).at(3, 'api_request_error', request).close();
    expect(scene.one('turn')).toMatchObject({ outcome: 'incomplete', errorType: undefined });
  });

  it('is what its own end says when that comes', () => {
    expect(
      failed()
        .at(4, 'on_session_end', { ...ids, completed: true })
        .one('turn'),
    ).toMatchObject({
      outcome: 'completed',
      errorType: undefined,
    });
  });
});

describe('a close stands', () => {
  it('against an end that comes later', () => {
    const scene = opened()
      .at(2, 'observer_closed', { scope: 'turn', key: 't', reason: 'idle_timeout' })
      .at(5, 'on_session_end', { ...ids, completed: true });
    expect(scene.one('turn')).toMatchObject({ end: seconds(1), incomplete: 'idle_timeout', outcome: 'incomplete' });
  });

  it('against ends of its tools and requests that come later', () => {
    const scene = opened()
      .at(2, 'pre_tool_call', tool)
      .at(3, 'pre_api_request', request)
      .at(4, 'on_session_end', ids)
      .at(5, 'post_tool_call', { ...tool, status: 'ok' })
      .at(6, 'post_api_request', request);
    expect(scene.one('tool')).toMatchObject({ end: seconds(4), status: undefined, incomplete: 'turn_ended' });
    expect(scene.one('request')).toMatchObject({ end: seconds(4), incomplete: 'turn_ended' });
  });
});

import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const ids = { turn_id: 't', session_id: 's', task_id: 'k' };
const opened = () => new Scene().at(1, 'pre_llm_call', ids);

describe('a turn opens', () => {
  it('with pre_llm_call, as a root of kind user', () => {
    const turn = opened().one('turn');
    expect(turn).toMatchObject({ parent: undefined, start: seconds(1), turnKind: 'user', turnId: 't', session: 's' });
    expect(turn.startMissing).toBe(false);
    expect(turn.invocation.trace.source).toBe('turn\0t');
  });

  it.each([
    'pre_api_request',
    'post_api_request',
    'api_request_error',
    'pre_tool_call',
    'post_tool_call',
    'pre_approval_request',
    'post_approval_response',
    'pre_auxiliary_call',
    'post_auxiliary_call',
  ])('with the first record of an unseen turn id: %s', (hook) => {
    expect(new Scene().at(1, hook, { turn_id: 't' }).one('turn').turnId).toBe('t');
  });

  it.each([
    'post_llm_call',
    'on_session_start',
    'on_session_end',
    'on_session_finalize',
    'on_stream_delta',
    'transform_tool_result',
    'transform_llm_output',
    'on_human_input_request',
    'observer_policy_decision',
    'observer_hello',
    'a_hook_of_tomorrow',
  ])('never with %s', (hook) => {
    expect(new Scene().at(1, hook, ids).sink.started).toEqual([]);
  });

  it('once: a repeated start with no end between is one span, and the first start wins', () => {
    const scene = opened().at(2, 'pre_llm_call', ids);
    expect(scene.one('turn').start).toEqual(seconds(1));
  });

  it('before the lone end of a request that opens it, with a start that is marked as missing', () => {
    const turn = new Scene().at(10, 'post_api_request', { ...ids, api_duration: 4 }).one('turn');
    expect(turn).toMatchObject({ start: seconds(6), startMissing: true });
  });

  it('not for a pre_llm_call without a turn id', () => {
    expect(new Scene().at(1, 'pre_llm_call', { session_id: 's' }).sink.started).toEqual([]);
  });

  it("with the producer's profile and the trace context of the record that opened it", () => {
    const traceContext = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    const turn = new Scene().at(1, 'pre_llm_call', ids, { profile: 'work', traceContext }).one('turn');
    expect(turn.invocation.profile).toBe('work');
    expect(turn.invocation.trace.caller).toBe(traceContext);
  });

  it.each(['', null, 7, ['t']])('for no id that is empty or no text: %j', (turn_id) => {
    expect(new Scene().at(1, 'pre_llm_call', { turn_id }).sink.started).toEqual([]);
  });
});

describe('on_session_end', () => {
  it('ends the turn it names, at its own time', () => {
    const turn = opened()
      .at(5, 'on_session_end', { ...ids, completed: true })
      .one('turn');
    expect(turn).toMatchObject({ end: seconds(5), outcome: 'completed', incomplete: undefined, errorType: undefined });
  });

  it('ends open chats, tools, approvals and human inputs of the turn at its own time, marked turn_ended', () => {
    const scene = opened()
      .at(2, 'pre_api_request', { ...ids, api_request_id: 'r' })
      .at(2, 'pre_tool_call', { ...ids, tool_call_id: 'c', tool_name: 'terminal' })
      .at(2, 'pre_approval_request', { ...ids, tool_call_id: 'c' })
      .at(2, 'on_human_input_request', { ...ids, kind: 'clarify', request_id: 'q' })
      .at(5, 'on_session_end', ids);
    for (const kind of ['request', 'tool', 'approval', 'human_input'] as const) {
      expect(scene.one(kind)).toMatchObject({ end: seconds(5), incomplete: 'turn_ended', errorType: undefined });
    }
    expect(scene.sink.ended.at(-1)?.kind).toBe('turn');
  });

  it('leaves children and auxiliary calls open', () => {
    const scene = opened()
      .at(2, 'subagent_start', { parent_turn_id: 't', child_session_id: 'c' })
      .at(2, 'pre_auxiliary_call', { ...ids, aux_task: 'title_generation' })
      .at(3, 'on_session_end', ids);
    expect(scene.one('child').end).toBeUndefined();
    expect(scene.one('auxiliary').end).toBeUndefined();
    scene.at(6, 'post_auxiliary_call', { ...ids, aux_task: 'title_generation' });
    expect(scene.one('auxiliary')).toMatchObject({ end: seconds(6), incomplete: undefined });
  });

  it('repeated changes nothing', () => {
    const scene = opened()
      .at(5, 'on_session_end', { ...ids, completed: true })
      .at(9, 'on_session_end', { ...ids, failed: true });
    expect(scene.one('turn')).toMatchObject({ end: seconds(5), outcome: 'completed' });
  });

  it('without turn_id ends the open turn of the session', () => {
    expect(opened().at(5, 'on_session_end', { session_id: 's' }).one('turn').end).toEqual(seconds(5));
  });

  it('without turn_id ends the open turn of the same producer first', () => {
    const scene = new Scene()
      .at(1, 'pre_api_request', { turn_id: 'mine', session_id: 's' }, { producer: 'mine' })
      .at(2, 'pre_llm_call', { turn_id: 'other', session_id: 's' }, { producer: 'other' })
      .at(3, 'on_stream_delta', { turn_id: 'mine' }, { producer: 'mine' })
      .at(5, 'on_session_end', { session_id: 's' }, { producer: 'mine' });
    expect(scene.nth('turn', 0, 2).end).toEqual(seconds(5));
    expect(scene.nth('turn', 1, 2).end).toBeUndefined();
  });

  it('of an unseen turn makes nothing, and is counted', () => {
    const scene = new Scene().at(1, 'on_session_end', ids).at(2, 'on_session_end', { session_id: 'x' });
    expect(scene.sink.started).toEqual([]);
    expect(scene.stats.unmatchedTurnEnds).toBe(2);
  });

  it('of an unseen turn does not end another open turn of the session', () => {
    expect(opened().at(2, 'on_session_end', { turn_id: 'x', session_id: 's' }).one('turn').end).toBeUndefined();
  });

  it.each([
    [{ failed: true, interrupted: true, completed: true }, 'failed'],
    [{ interrupted: true, completed: true }, 'interrupted'],
    [{ completed: true }, 'completed'],
    [{}, 'incomplete'],
    [{ completed: 'yes', failed: 1, interrupted: 'no' }, 'incomplete'],
  ])('gives the outcome failed before interrupted before completed, else incomplete: %j', (flags, outcome) => {
    const turn = opened()
      .at(5, 'on_session_end', { ...ids, ...flags })
      .one('turn');
    expect(turn.outcome).toBe(outcome);
    expect(turn.incomplete).toBeUndefined();
  });

  it('of a failed turn gives the exit reason without its parentheses as the error type', () => {
    const end = (turn_exit_reason?: string) =>
      opened()
        .at(5, 'on_session_end', { ...ids, failed: true, turn_exit_reason })
        .one('turn');
    expect(end('error_near_max_iterations(boom (twice))').errorType).toBe('error_near_max_iterations');
    expect(end().errorType).toBe('_OTHER');
    expect(end('(only)').errorType).toBe('_OTHER');
  });

  it('of a turn that did not fail sets no error type', () => {
    expect(
      opened()
        .at(5, 'on_session_end', { ...ids, interrupted: true, turn_exit_reason: 'x' })
        .one('turn').errorType,
    ).toBe(undefined);
  });

  it('takes `reason` where there is no turn_exit_reason', () => {
    expect(
      opened()
        .at(5, 'on_session_end', { ...ids, reason: 'idle' })
        .one('turn').exitReason,
    ).toBe('idle');
  });
});

describe('counts of a turn', () => {
  it('are its own requests: no attempts, no auxiliary calls, no fallback of the same id', () => {
    const request = { ...ids, api_request_id: 'r', model: 'm' };
    const scene = opened()
      .at(2, 'pre_api_request', request)
      .at(3, 'pre_api_request', request)
      .at(4, 'pre_api_request', { ...request, model: 'fallback' })
      .at(5, 'post_api_request', { ...request, model: 'fallback' })
      .at(6, 'pre_auxiliary_call', { ...ids, aux_task: 'vision' })
      .at(7, 'pre_api_request', { ...request, api_request_id: 'r2' });
    expect(scene.one('turn').invocation.apiCalls).toBe(2);
  });

  it("are tools its model asked for: no children's, none from inside execute_code", () => {
    const scene = opened()
      .at(2, 'pre_tool_call', { ...ids, tool_call_id: 'c', tool_name: 'execute_code' })
      .at(3, 'pre_tool_call', { task_id: 'k', tool_name: 'web_search' })
      .at(4, 'subagent_start', { parent_turn_id: 't', child_session_id: 'child' })
      .at(5, 'pre_tool_call', { session_id: 'child', tool_call_id: 'c2', tool_name: 'x' });
    expect(scene.one('turn').invocation.toolCalls).toBe(1);
    expect(scene.one('child').invocation.toolCalls).toBe(1);
  });
});

describe('records that add to an open turn', () => {
  it('are a later pre_llm_call and post_llm_call', () => {
    const scene = opened().at(2, 'pre_llm_call', ids).at(3, 'post_llm_call', ids);
    expect(scene.sink.updates.map(({ node }) => node.kind)).toEqual(['turn', 'turn']);
  });

  it('are none once it is closed', () => {
    const scene = opened().at(2, 'on_session_end', ids).at(3, 'post_llm_call', ids).at(4, 'pre_llm_call', ids).close();
    expect(scene.sink.updates).toEqual([]);
  });
});

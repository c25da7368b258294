import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const start = (scene: Scene, second: number, turn_id: string, more: Record<string, unknown> = {}) =>
  scene.at(second, 'pre_llm_call', { turn_id, session_id: 's', task_id: 'k', ...more });

describe('turns of one session', () => {
  it('are linked: each root to the previous user turn', () => {
    const scene = start(start(start(new Scene(), 1, 'a'), 2, 'b'), 3, 'c');
    expect(scene.linkOf(scene.nth('turn', 0, 3))).toBeUndefined();
    expect(scene.linkOf(scene.nth('turn', 1, 3))).toMatchObject({
      to: scene.nth('turn', 0, 3),
      relation: 'previous_turn',
    });
    expect(scene.linkOf(scene.nth('turn', 2, 3))).toMatchObject({
      to: scene.nth('turn', 1, 3),
      relation: 'previous_turn',
    });
  });

  it('are linked after their end as well', () => {
    const scene = start(start(new Scene(), 1, 'a').at(2, 'on_session_end', { turn_id: 'a' }), 3, 'b');
    expect(scene.linkOf(scene.nth('turn', 1, 2))?.to).toBe(scene.nth('turn', 0, 2));
  });

  it('of different sessions are not linked', () => {
    const scene = start(start(new Scene(), 1, 'a'), 2, 'b', { session_id: 'other' });
    expect(scene.linkOf(scene.nth('turn', 1, 2))).toBeUndefined();
  });

  it('belong to every session their own records carried', () => {
    const scene = start(new Scene(), 1, 'a').at(2, 'on_stream_delta', { turn_id: 'a', session_id: 's2' });
    scene.at(3, 'pre_tool_call', { session_id: 's2', tool_call_id: 'c', tool_name: 'x' });
    expect(scene.one('tool').parent).toBe(scene.one('turn'));
    start(scene, 4, 'b', { session_id: 's2' });
    expect(scene.linkOf(scene.nth('turn', 1, 2))?.to).toBe(scene.nth('turn', 0, 2));
    expect(scene.nth('turn', 0, 2).session).toBe('s');
  });
});

describe('a background review', () => {
  const review = () => start(start(new Scene(), 1, 'a'), 3, 'review', { parent_session_id: 's', task_id: 'k2' });

  it("is a pre_llm_call whose parent session is its own: a trace of its own, linked to the session's last turn", () => {
    const scene = review();
    const turn = scene.nth('turn', 1, 2);
    expect(turn).toMatchObject({ turnKind: 'background_review', parent: undefined });
    expect(scene.linkOf(turn)).toMatchObject({ relation: 'session_turn', to: { turnId: 'a' } });
  });

  it('is completed by its post_llm_call', () => {
    const turn = review().at(5, 'post_llm_call', { turn_id: 'review', session_id: 's' }).nth('turn', 1, 2);
    expect(turn).toMatchObject({ end: seconds(5), outcome: 'completed', incomplete: undefined });
  });

  it('does not supersede the user turn, is not closed by the next user turn, and is not what that one links to', () => {
    const scene = start(review(), 6, 'b').close();
    expect(scene.nth('turn', 1, 3).incomplete).toBe('shutdown');
    expect(scene.linkOf(scene.nth('turn', 2, 3))?.to).toBe(scene.nth('turn', 0, 3));
  });

  it('needs its own session as the parent: another one makes a user turn', () => {
    const scene = start(start(new Scene(), 1, 'a'), 2, 'b', { parent_session_id: 'other', task_id: 'k2' });
    expect(scene.nth('turn', 1, 2).turnKind).toBe('user');
  });

  it('is not ended by its post_llm_call when it is a user turn', () => {
    expect(start(new Scene(), 1, 'a').at(2, 'post_llm_call', { turn_id: 'a' }).one('turn').end).toBeUndefined();
  });
});

describe('background work', () => {
  const ids = { turn_id: 'work', session_id: 's', task_id: 'other' };
  const work = (first = 'pre_api_request') => start(new Scene(), 1, 'a').at(3, first, { ...ids, api_request_id: 'r' });

  it('is a turn never opened by pre_llm_call, with another task than the last user turn', () => {
    const scene = work();
    const turn = scene.nth('turn', 1, 2);
    expect(turn.turnKind).toBe('background');
    expect(scene.linkOf(turn)).toMatchObject({ relation: 'session_turn', to: { turnId: 'a' } });
  });

  it.each([
    ['the same task', { task_id: 'k' }],
    ['no task', { task_id: '' }],
    ['another session', { session_id: 'new' }],
  ])('is none with %s', (_, more) => {
    const scene = start(new Scene(), 1, 'a').at(3, 'pre_api_request', { ...ids, ...more });
    expect(scene.nth('turn', 1, 2).turnKind).toBe('user');
  });

  it('ends, completed, when a chat ends without asking for tools and no tool is open', () => {
    const turn = work()
      .at(4, 'post_api_request', { ...ids, api_request_id: 'r', finish_reason: 'stop' })
      .nth('turn', 1, 2);
    expect(turn).toMatchObject({ end: seconds(4), outcome: 'completed', incomplete: undefined });
  });

  it.each([{ finish_reason: 'tool_calls' }, { assistant_tool_call_count: 1 }])(
    'goes on when the chat asks for tools: %j',
    (asks) => {
      const scene = work().at(4, 'post_api_request', { ...ids, api_request_id: 'r', ...asks });
      expect(scene.nth('turn', 1, 2).end).toBeUndefined();
    },
  );

  it('goes on while a tool is open', () => {
    const scene = work('pre_tool_call').at(4, 'post_api_request', {
      ...ids,
      api_request_id: 'r',
      finish_reason: 'stop',
    });
    expect(scene.nth('turn', 1, 2).end).toBeUndefined();
  });

  it('goes on after a chat that failed, and after an auxiliary call', () => {
    const scene = work()
      .at(4, 'api_request_error', { ...ids, api_request_id: 'r' })
      .at(5, 'post_auxiliary_call', { ...ids, aux_task: 'vision' });
    expect(scene.nth('turn', 1, 2).end).toBeUndefined();
  });

  it('gives what still comes its context, as a late record', () => {
    const scene = work()
      .at(4, 'post_api_request', { ...ids, api_request_id: 'r' })
      .at(5, 'pre_tool_call', { ...ids, tool_call_id: 'c', tool_name: 'memory' })
      .at(6, 'post_tool_call', { ...ids, tool_call_id: 'c', tool_name: 'memory', status: 'ok' });
    expect(scene.one('tool')).toMatchObject({
      parent: scene.nth('turn', 1, 2),
      end: seconds(6),
      incomplete: undefined,
    });
  });

  it('ends with a count that throws when it is read', () => {
    const hostile = Object.defineProperty({ ...ids, api_request_id: 'r' }, 'assistant_tool_call_count', {
      enumerable: true,
      get() {
        throw new Error('hostile');
      },
    });
    expect(work().at(4, 'post_api_request', hostile).nth('turn', 1, 2).outcome).toBe('completed');
  });
});

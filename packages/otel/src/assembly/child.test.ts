import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const parent = { turn_id: 't', session_id: 's' };
const delegate = { ...parent, tool_call_id: 'd', tool_name: 'delegate_task' };
const asked = {
  parent_session_id: 's',
  parent_turn_id: 't',
  child_session_id: 'cs',
  child_subagent_id: 'agent',
  child_role: 'leaf',
};
const delegated = () => new Scene().at(1, 'pre_llm_call', parent).at(2, 'pre_tool_call', delegate);
const running = () => delegated().at(3, 'subagent_start', asked);
const own = { turn_id: 'ct', session_id: 'cs', task_id: 'agent' };

describe('a child agent', () => {
  it('hangs under the delegate_task open in its parent turn', () => {
    const scene = running();
    expect(scene.one('child')).toMatchObject({
      start: seconds(3),
      role: 'leaf',
      agentId: 'agent',
      parentTurn: 't',
      parentSession: 's',
    });
    expect(scene.one('child').parent).toBe(scene.one('tool'));
  });

  it('hangs under its parent turn with no delegate_task open', () => {
    const scene = delegated().at(3, 'post_tool_call', delegate).at(4, 'subagent_start', asked);
    expect(scene.one('child').parent).toBe(scene.one('turn'));
  });

  it('hangs under the newest of several open delegate_task calls', () => {
    const scene = delegated()
      .at(3, 'pre_tool_call', { ...delegate, tool_call_id: 'd2' })
      .at(4, 'subagent_start', asked);
    expect(scene.one('child').parent).toBe(scene.nth('tool', 1, 2));
  });

  it('hangs under the only open Agent call of Claude Code, and under its turn where there are several', () => {
    const call = { ...parent, tool_call_id: 'a1', tool_name: 'Agent' };
    const one = new Scene().at(1, 'pre_llm_call', parent).at(2, 'pre_tool_call', call);
    expect(one.at(3, 'subagent_start', asked).one('child').parent).toBe(one.one('tool'));
    const two = new Scene()
      .at(1, 'pre_llm_call', parent)
      .at(2, 'pre_tool_call', call)
      .at(2, 'pre_tool_call', { ...call, tool_call_id: 'a2' });
    expect(two.at(3, 'subagent_start', asked).one('child').parent).toBe(two.one('turn'));
  });

  it("is a root with a link to the parent session's last turn when its turn is unknown", () => {
    const scene = delegated().at(3, 'subagent_start', { ...asked, parent_turn_id: 'unseen' });
    expect(scene.one('child').parent).toBeUndefined();
    expect(scene.linkOf(scene.one('child'))).toMatchObject({ to: scene.one('turn'), relation: 'parent_session' });
    expect(scene.one('child').invocation.trace.source).toBe('child\0cs');
  });

  it('is a root with a link when its parent_turn_id is empty, even with a delegate_task open in that session', () => {
    const scene = delegated().at(3, 'subagent_start', { ...asked, parent_turn_id: '' });
    expect(scene.one('child').parent).toBeUndefined();
    expect(scene.linkOf(scene.one('child'))?.to).toBe(scene.one('turn'));
  });

  it('has its own requests and tools directly below it', () => {
    const scene = running()
      .at(4, 'pre_llm_call', own)
      .at(5, 'pre_api_request', own)
      .at(6, 'pre_tool_call', { ...own, tool_call_id: 'c' });
    expect(scene.one('request').parent).toBe(scene.one('child'));
    expect(scene.nth('tool', 1, 2).parent).toBe(scene.one('child'));
    expect(scene.all('turn').length).toBe(1);
  });

  it('may delegate further', () => {
    const scene = running()
      .at(4, 'pre_tool_call', { ...own, tool_call_id: 'd2', tool_name: 'delegate_task' })
      .at(5, 'subagent_start', { parent_turn_id: 'ct', child_session_id: 'grandchild' });
    expect(scene.nth('child', 1, 2).parent).toBe(scene.nth('tool', 1, 2));
    expect(scene.nth('child', 1, 2).invocation.trace).toBe(scene.one('turn').invocation.trace);
  });

  it('is known by its session: two of one agent id are two', () => {
    const scene = running().at(4, 'subagent_start', { ...asked, child_session_id: 'cs2' });
    expect(scene.all('child').map(({ invocation }) => invocation.id)).toEqual(['cs', 'cs2']);
  });

  it('started twice is one span', () => {
    expect(running().at(4, 'subagent_start', asked).one('child').start).toEqual(seconds(3));
  });

  it('without any id makes nothing', () => {
    expect(delegated().at(3, 'subagent_start', { parent_turn_id: 't' }).all('child')).toEqual([]);
  });

  it('never nests in a circle', () => {
    const self = delegated().at(3, 'subagent_start', { ...asked, child_session_id: 's' });
    expect(self.all('child')).toEqual([]);
    const circle = running()
      .at(4, 'pre_llm_call', own)
      .at(5, 'subagent_start', { parent_turn_id: 'ct', child_session_id: 's' });
    expect(circle.all('child').length).toBe(1);
  });
});

describe('the end of a child agent', () => {
  const stop = { child_session_id: 'cs', child_status: 'completed' };

  it("is the child's last on_session_end, known when subagent_stop comes", () => {
    const scene = running().at(4, 'pre_llm_call', own).at(6, 'on_session_end', own).at(9, 'subagent_stop', stop);
    expect(scene.one('child')).toMatchObject({ end: seconds(6), status: 'completed', incomplete: undefined });
  });

  it('is the subagent_stop without one', () => {
    expect(running().at(9, 'subagent_stop', stop).one('child').end).toEqual(seconds(9));
  });

  it('is the subagent_stop when a second turn of the child is still open, which ends there too', () => {
    const scene = running()
      .at(4, 'pre_llm_call', own)
      .at(5, 'on_session_end', own)
      .at(6, 'pre_llm_call', { ...own, turn_id: 'ct2' })
      .at(7, 'pre_api_request', { ...own, turn_id: 'ct2', api_request_id: 'r' })
      .at(9, 'subagent_stop', stop);
    expect(scene.one('child').end).toEqual(seconds(9));
    expect(scene.one('request')).toMatchObject({ end: seconds(9), incomplete: 'subagent_stopped' });
  });

  it('closes the whole subtree: its spans, and the children below it', () => {
    const scene = running()
      .at(4, 'pre_tool_call', { ...own, tool_call_id: 'd2', tool_name: 'delegate_task' })
      .at(5, 'subagent_start', { parent_turn_id: 'ct', child_session_id: 'grandchild' })
      .at(6, 'pre_auxiliary_call', { session_id: 'grandchild', aux_task: 'vision' })
      .at(9, 'subagent_stop', stop);
    expect(scene.nth('child', 1, 2)).toMatchObject({ end: seconds(9), incomplete: 'subagent_stopped' });
    expect(scene.one('auxiliary')).toMatchObject({ end: seconds(9), incomplete: 'subagent_stopped' });
    expect(scene.nth('tool', 0, 2).end).toBeUndefined();
    expect(scene.one('turn').end).toBeUndefined();
  });

  it('spares its siblings', () => {
    const scene = running()
      .at(4, 'subagent_start', { parent_turn_id: 't', child_session_id: 'cs2' })
      .at(9, 'subagent_stop', stop);
    expect(scene.nth('child', 1, 2).end).toBeUndefined();
  });

  it.each(['failed', 'error', 'timeout'])('with status %s is an error of that type', (child_status) => {
    expect(
      running()
        .at(9, 'subagent_stop', { ...stop, child_status })
        .one('child').errorType,
    ).toBe(child_status);
  });

  it.each(['interrupted', 'completed', 'odd', undefined])('with status %s is none', (child_status) => {
    expect(
      running()
        .at(9, 'subagent_stop', { ...stop, child_status })
        .one('child').errorType,
    ).toBeUndefined();
  });

  it('leaves the child open when its own turn ends, and ends what that turn had open', () => {
    const scene = running()
      .at(4, 'pre_api_request', { ...own, api_request_id: 'r' })
      .at(5, 'on_session_end', own);
    expect(scene.one('request')).toMatchObject({ end: seconds(5), incomplete: 'turn_ended' });
    expect(scene.one('child').end).toBeUndefined();
  });

  it('may come after the end of the parent’s turn, in the same trace', () => {
    const scene = running()
      .at(4, 'on_session_end', parent)
      .at(5, 'pre_tool_call', { ...own, tool_call_id: 'c' });
    scene.at(8, 'subagent_stop', stop);
    expect(scene.one('child').end).toEqual(seconds(8));
    expect(scene.nth('tool', 1, 2).parent).toBe(scene.one('child'));
  });

  it('repeated changes nothing', () => {
    const scene = running()
      .at(9, 'subagent_stop', stop)
      .at(10, 'subagent_stop', { ...stop, child_status: 'failed' });
    expect(scene.one('child')).toMatchObject({ end: seconds(9), status: 'completed' });
  });
});

describe('after its subagent_stop', () => {
  const stopped = () => running().at(9, 'subagent_stop', { child_session_id: 'cs', child_status: 'completed' });

  it('what a child does hangs under its closed span', () => {
    const scene = stopped().at(10, 'pre_tool_call', { ...own, tool_call_id: 'late', tool_name: 'x' });
    expect(scene.nth('tool', 1, 2)).toMatchObject({ parent: scene.one('child'), start: seconds(10) });
    expect(scene.one('child').end).toEqual(seconds(9));
  });

  it.each(['post_tool_call', 'post_api_request', 'api_request_error', 'post_auxiliary_call'])(
    'a lone %s makes nothing',
    (hook) => {
      const scene = stopped();
      const before = scene.sink.started.length;
      expect(scene.at(10, hook, { ...own, tool_call_id: 'x', api_request_id: 'x' }).sink.started.length).toBe(before);
    },
  );
});

describe('a lone subagent_stop', () => {
  const stop = {
    child_session_id: 'cs',
    parent_session_id: 's',
    parent_turn_id: 't',
    child_status: 'failed',
    duration_ms: 3000,
  };

  it("makes a root from its duration, linked to the parent session's last user turn", () => {
    const scene = delegated().at(9, 'subagent_stop', stop);
    expect(scene.one('child')).toMatchObject({
      parent: undefined,
      start: seconds(6),
      end: seconds(9),
      startMissing: true,
      errorType: 'failed',
    });
    expect(scene.linkOf(scene.one('child'))?.to).toBe(scene.one('turn'));
  });

  it('makes nothing where turns of that child were seen', () => {
    const scene = new Scene().at(1, 'pre_llm_call', { turn_id: 'ct', session_id: 'cs' }).at(9, 'subagent_stop', stop);
    expect(scene.all('child')).toEqual([]);
  });

  it('without a session makes nothing', () => {
    expect(delegated().at(9, 'subagent_stop', { child_subagent_id: 'agent' }).all('child')).toEqual([]);
  });
});

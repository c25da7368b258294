import { describe, expect, it } from 'vitest';
import { Scene } from './scene.test-support.js';

const tool = { tool_name: 'x', tool_call_id: 'c' };
const two = () =>
  new Scene()
    .at(1, 'pre_llm_call', { turn_id: 'a', session_id: 's1', task_id: 'k1' })
    .at(2, 'pre_llm_call', { turn_id: 'b', session_id: 's2', task_id: 'k2' });

describe('a record finds its turn', () => {
  it('by turn_id, whatever session and task it carries', () => {
    const scene = two().at(3, 'pre_tool_call', { ...tool, turn_id: 'a', session_id: 's2', task_id: 'k2' });
    expect(scene.one('tool').parent).toBe(scene.nth('turn', 0, 2));
  });

  it('by the session of its child, before a session’s open turn', () => {
    const scene = two()
      .at(3, 'subagent_start', { parent_turn_id: 'a', child_session_id: 'cs', child_subagent_id: 'agent' })
      .at(4, 'pre_tool_call', { ...tool, session_id: 'cs', task_id: 'k2' });
    expect(scene.one('tool').parent).toBe(scene.one('child'));
  });

  it('by the task of its child, even with the session of a turn', () => {
    const scene = two()
      .at(3, 'subagent_start', { parent_turn_id: 'a', child_session_id: 'cs', child_subagent_id: 'agent' })
      .at(4, 'pre_tool_call', { ...tool, session_id: 's2', task_id: 'agent' });
    expect(scene.one('tool').parent).toBe(scene.one('child'));
  });

  it("by the session's open turn, where no turn_id is given", () => {
    const scene = two().at(3, 'pre_tool_call', { ...tool, session_id: 's1', task_id: 'k2' });
    expect(scene.one('tool').parent).toBe(scene.nth('turn', 0, 2));
  });

  it('by the task, with neither turn, child nor session', () => {
    const scene = two().at(3, 'pre_tool_call', { ...tool, task_id: 'k1' });
    expect(scene.one('tool').parent).toBe(scene.nth('turn', 0, 2));
  });

  it('by a child that an unseen turn_id comes with, and by that id from then on', () => {
    const scene = two()
      .at(3, 'subagent_start', { parent_turn_id: 'a', child_session_id: 'cs' })
      .at(4, 'pre_llm_call', { turn_id: 'ct', session_id: 'cs' })
      .at(5, 'pre_tool_call', { ...tool, turn_id: 'ct' });
    expect(scene.one('tool').parent).toBe(scene.one('child'));
    expect(scene.all('turn').length).toBe(2);
  });

  it('as the newest open one of its session that is not superseded', () => {
    const scene = new Scene()
      .at(1, 'pre_llm_call', { turn_id: 'a', session_id: 's' })
      .at(2, 'pre_llm_call', { turn_id: 'b', session_id: 's' })
      .at(3, 'pre_tool_call', { ...tool, session_id: 's' });
    expect(scene.one('tool').parent).toBe(scene.nth('turn', 1, 2));
  });

  it('as the last one of its session when all are closed', () => {
    const scene = new Scene()
      .at(1, 'pre_llm_call', { turn_id: 'a', session_id: 's' })
      .at(2, 'on_session_end', { turn_id: 'a', session_id: 's' })
      .at(3, 'pre_auxiliary_call', { session_id: 's', aux_task: 'title_generation' });
    expect(scene.one('auxiliary').parent).toBe(scene.one('turn'));
  });

  it('of one task first as the one that runs code', () => {
    const scene = new Scene()
      .at(1, 'pre_llm_call', { turn_id: 'a', task_id: 'k' })
      .at(2, 'pre_tool_call', { turn_id: 'a', tool_name: 'execute_code', tool_call_id: 'code' })
      .at(3, 'pre_llm_call', { turn_id: 'b', task_id: 'k' })
      .at(4, 'pre_tool_call', { task_id: 'k', tool_name: 'x' });
    expect(scene.nth('tool', 1, 2).parent).toBe(scene.nth('tool', 0, 2));
  });
});

describe('a record without any known id', () => {
  it('is a root of its own, never given to some open turn', () => {
    const scene = two().at(3, 'pre_tool_call', { tool_name: 'x' }, { seq: 9 });
    expect(scene.one('tool')).toMatchObject({ parent: undefined, turnId: undefined, session: undefined });
    expect(scene.one('tool').invocation.trace.source).toBe('record\0p\u00009');
  });

  it('keeps its session and its profile', () => {
    const scene = two().at(3, 'pre_api_request', { session_id: 'unknown' }, { profile: 'work' });
    expect(scene.one('request')).toMatchObject({ parent: undefined, session: 'unknown' });
    expect(scene.one('request').invocation.profile).toBe('work');
  });

  it('is a trace of its own each time', () => {
    const scene = two().at(3, 'pre_tool_call', { tool_name: 'x' }).at(4, 'pre_tool_call', { tool_name: 'x' });
    const [one, other] = scene.all('tool');
    expect(one?.invocation.trace).not.toBe(other?.invocation.trace);
    expect(one?.invocation.trace.source).not.toBe(other?.invocation.trace.source);
  });

  it('has an end that finds it by name, oldest first, within its producer', () => {
    const scene = new Scene()
      .at(1, 'pre_tool_call', { tool_name: 'x' }, { producer: 'one' })
      .at(2, 'pre_tool_call', { tool_name: 'x' }, { producer: 'two' })
      .at(3, 'post_tool_call', { tool_name: 'x', status: 'ok' }, { producer: 'two' });
    expect(scene.nth('tool', 0, 2).end).toBeUndefined();
    expect(scene.nth('tool', 1, 2).status).toBe('ok');
  });

  it('has a source that other producers do not change, even without a number', () => {
    const alone = new Scene().at(1, 'pre_tool_call', { tool_name: 'x' }, { producer: 'one' });
    const after = new Scene()
      .at(1, 'pre_tool_call', { tool_name: 'x' }, { producer: 'two' })
      .at(1, 'pre_tool_call', { tool_name: 'x' }, { producer: 'one' });
    expect(after.nth('tool', 1, 2).invocation.trace.source).toBe(alone.one('tool').invocation.trace.source);
  });

  it('makes the last record of its trace when it is a retry', () => {
    const scene = new Scene()
      .at(1, 'pre_api_request', { api_request_id: 'r' })
      .at(5, 'pre_api_request', { api_request_id: 'r' });
    expect(scene.close().one('request').end).toEqual([5, 0]);
  });
});

describe('late records', () => {
  const ended = () =>
    new Scene().at(1, 'pre_llm_call', { turn_id: 't', session_id: 's' }).at(10, 'on_session_end', { turn_id: 't' });

  it("find a closed turn's context, and never open a second root", () => {
    const scene = ended().at(11, 'pre_tool_call', { ...tool, turn_id: 't' });
    expect(scene.one('tool').parent).toBe(scene.one('turn'));
    expect(scene.close().all('turn').length).toBe(1);
  });

  it('find it up to ten minutes after its end, and make nothing later', () => {
    const scene = ended()
      .at(610, 'pre_tool_call', { ...tool, turn_id: 't' })
      .at(610.001, 'pre_api_request', { turn_id: 't' });
    expect(scene.all('tool').length).toBe(1);
    expect(scene.all('request').length).toBe(0);
    expect(scene.stats.tooLate).toBe(1);
  });

  it('do not change when the turn ended', () => {
    const scene = ended().at(20, 'on_session_end', { turn_id: 't', completed: true }).close();
    expect(scene.one('turn')).toMatchObject({ end: [10, 0], outcome: 'incomplete' });
  });
});

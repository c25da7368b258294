import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const ids = { turn_id: 't', session_id: 's' };
const question = { ...ids, kind: 'clarify', request_id: 'q' };
const approval = { ...ids, tool_call_id: 'c', surface: 'tui', pattern_key: 'rm' };
const about = { ...ids, kind: 'approval', request_id: 'q' };
const begun = () => new Scene().at(1, 'pre_llm_call', ids);

describe('a human input', () => {
  it('is opened by on_human_input_request and closed by on_human_input_resolved', () => {
    const scene = begun()
      .at(2, 'on_human_input_request', question)
      .at(5, 'on_human_input_resolved', { ...question, outcome: 'provided' });
    expect(scene.one('human_input')).toMatchObject({
      start: seconds(2),
      end: seconds(5),
      inputKind: 'clarify',
      outcome: 'provided',
    });
  });

  it('never opens a turn', () => {
    expect(new Scene().at(1, 'on_human_input_request', question).sink.started).toEqual([]);
  });

  it('hangs below the open tool of its kind, else below the only open one, else below the turn', () => {
    const clarify = begun()
      .at(2, 'pre_tool_call', { ...ids, tool_call_id: 'c', tool_name: 'clarify' })
      .at(3, 'pre_tool_call', { ...ids, tool_call_id: 'c2', tool_name: 'terminal' })
      .at(4, 'on_human_input_request', question);
    expect(clarify.one('human_input').parent).toBe(clarify.nth('tool', 0, 2));
    const sudo = begun()
      .at(2, 'pre_tool_call', { ...ids, tool_call_id: 'c2', tool_name: 'terminal' })
      .at(3, 'on_human_input_request', { ...question, kind: 'sudo' });
    expect(sudo.one('human_input').parent).toBe(sudo.one('tool'));
    const none = begun().at(2, 'on_human_input_request', question);
    expect(none.one('human_input').parent).toBe(none.one('turn'));
  });

  it('asked twice under one request id is one span', () => {
    const scene = begun()
      .at(2, 'on_human_input_request', question)
      .at(3, 'on_human_input_resolved', question)
      .at(4, 'on_human_input_request', question);
    expect(scene.all('human_input').length).toBe(1);
  });

  it('without a request id may be asked again after its end', () => {
    const plain = { ...ids, kind: 'clarify' };
    const scene = begun()
      .at(2, 'on_human_input_request', plain)
      .at(3, 'on_human_input_request', plain)
      .at(4, 'on_human_input_resolved', plain)
      .at(5, 'on_human_input_request', plain);
    expect(scene.all('human_input').map(({ ordinal }) => ordinal)).toEqual([0, 1]);
  });

  it('without a request id has an id of its own even when only one of two records names the session', () => {
    const scene = begun()
      .at(2, 'on_human_input_request', { turn_id: 't', kind: 'clarify' })
      .at(3, 'on_human_input_request', { ...ids, kind: 'clarify' });
    const keys = scene.all('human_input').map(({ inputKind, ordinal }) => `${inputKind} ${ordinal}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('finds its end by its request id when the session has gone on to another turn', () => {
    const { turn_id: _, ...byTask } = question;
    const scene = begun()
      .at(2, 'on_human_input_request', byTask)
      .at(3, 'pre_llm_call', { ...ids, turn_id: 't2' })
      .at(4, 'on_human_input_resolved', { ...byTask, outcome: 'submitted' });
    expect(scene.one('human_input')).toMatchObject({ end: seconds(4), outcome: 'submitted' });
  });

  it('is ended once', () => {
    const scene = begun()
      .at(2, 'on_human_input_request', question)
      .at(3, 'on_human_input_resolved', { ...question, outcome: 'provided' })
      .at(4, 'on_human_input_resolved', { ...question, outcome: 'error' });
    expect(scene.one('human_input')).toMatchObject({ end: seconds(3), outcome: 'provided' });
  });

  it('that was never asked makes nothing', () => {
    expect(begun().at(2, 'on_human_input_resolved', question).all('human_input')).toEqual([]);
  });
});

describe('one wait, one span: a human input of kind approval', () => {
  const ask = (scene: Scene, second: number) => scene.at(second, 'on_human_input_request', about);
  const answer = (scene: Scene, second: number) =>
    scene.at(second, 'on_human_input_resolved', { ...about, outcome: 'once' });
  const open = (scene: Scene, second: number) => scene.at(second, 'pre_approval_request', approval);
  const close = (scene: Scene, second: number) =>
    scene.at(second, 'post_approval_response', { ...approval, choice: 'once' });

  it('makes a span when no approval of the session overlapped it', () => {
    const scene = answer(ask(begun(), 2), 4).close();
    expect(scene.one('human_input')).toMatchObject({ start: seconds(2), end: seconds(4), outcome: 'once' });
  });

  it('makes none inside an approval', () => {
    expect(
      close(answer(ask(open(begun(), 2), 3), 4), 5)
        .close()
        .all('human_input'),
    ).toEqual([]);
  });

  it('makes none around an approval', () => {
    expect(
      answer(close(open(ask(begun(), 2), 3), 4), 5)
        .close()
        .all('human_input'),
    ).toEqual([]);
  });

  it('makes none where it begins inside and ends after, or the other way round', () => {
    expect(
      answer(close(ask(open(begun(), 2), 3), 4), 5)
        .close()
        .all('human_input'),
    ).toEqual([]);
    expect(
      close(answer(open(ask(begun(), 2), 3), 4), 5)
        .close()
        .all('human_input'),
    ).toEqual([]);
  });

  it('makes a span after an approval that is over', () => {
    expect(
      answer(ask(close(open(begun(), 2), 3), 4), 5)
        .close()
        .all('human_input').length,
    ).toBe(1);
  });

  it('makes a span beside an approval of another session', () => {
    const other = { turn_id: 'o', session_id: 'other', surface: 'tui' };
    const scene = begun().at(2, 'pre_llm_call', other).at(3, 'pre_approval_request', other);
    expect(answer(ask(scene, 4), 5).close().all('human_input').length).toBe(1);
  });

  it('makes a span of another kind in any case', () => {
    expect(open(begun(), 2).at(3, 'on_human_input_request', question).all('human_input').length).toBe(1);
  });

  it('that nobody answers is cut with its turn', () => {
    const scene = ask(begun(), 2).at(6, 'on_session_end', ids);
    expect(scene.one('human_input')).toMatchObject({ end: seconds(6), incomplete: 'turn_ended' });
  });
});

describe('a question that names nobody', () => {
  it('is a root of its own, ended by its answer', () => {
    const scene = new Scene()
      .at(0, 'pre_llm_call', { turn_id: 't', session_id: 's' })
      .at(1, 'on_human_input_request', { kind: 'sudo', request_id: 'q' })
      .at(3, 'on_human_input_resolved', { kind: 'sudo', request_id: 'q', outcome: 'provided' });
    expect(scene.one('human_input')).toMatchObject({ parent: undefined, end: [3, 0], outcome: 'provided' });
  });

  it('makes nothing when it names a turn or session that is not known', () => {
    const scene = new Scene()
      .at(1, 'on_human_input_request', { kind: 'sudo', session_id: 'unknown' })
      .at(2, 'on_human_input_request', { kind: 'sudo', turn_id: 'unknown' });
    expect(scene.all('human_input')).toEqual([]);
  });
});

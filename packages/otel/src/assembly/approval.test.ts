import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const call = { turn_id: 't', tool_call_id: 'c', tool_name: 'terminal' };
const asked = { turn_id: 't', tool_call_id: 'c', surface: 'cli', pattern_key: 'rm' };
const begun = () => new Scene().at(1, 'pre_tool_call', call).at(2, 'pre_approval_request', asked);

describe('an approval', () => {
  it('is opened by pre_approval_request and closed by post_approval_response, below its tool call', () => {
    const scene = begun().at(4, 'post_approval_response', { ...asked, choice: 'once', decided_by: 'user' });
    expect(scene.one('approval')).toMatchObject({
      start: seconds(2),
      end: seconds(4),
      surface: 'cli',
      patternKey: 'rm',
      choice: 'once',
      decidedBy: 'user',
      incomplete: undefined,
      errorType: undefined,
    });
    expect(scene.one('approval').parent).toBe(scene.one('tool'));
  });

  it('without a known tool call hangs below its turn', () => {
    const scene = begun().at(3, 'pre_approval_request', { ...asked, tool_call_id: 'unseen' });
    expect(scene.nth('approval', 1, 2).parent).toBe(scene.one('turn'));
  });

  it('that was denied is no error', () => {
    expect(
      begun()
        .at(4, 'post_approval_response', { ...asked, choice: 'deny' })
        .one('approval').errorType,
    ).toBeUndefined();
  });

  it.each([{ turn_id: 'other' }, { tool_call_id: 'c2' }, { surface: 'smart' }, { pattern_key: 'sudo' }])(
    'is known by turn, call, surface and pattern: not by %j',
    (other) => {
      const scene = begun().at(4, 'post_approval_response', { ...asked, ...other, choice: 'once' });
      expect(scene.nth('approval', 0, 2).end).toBeUndefined();
      expect(scene.nth('approval', 1, 2).startMissing).toBe(true);
    },
  );

  it('of a key that is asked again ends oldest first', () => {
    const { tool_call_id: _, ...plain } = asked;
    const scene = new Scene()
      .at(1, 'pre_approval_request', plain)
      .at(2, 'pre_approval_request', plain)
      .at(3, 'post_approval_response', { ...plain, choice: 'once' })
      .at(4, 'post_approval_response', { ...plain, choice: 'deny' });
    expect(scene.all('approval').map(({ end, choice, ordinal }) => [end, choice, ordinal])).toEqual([
      [seconds(3), 'once', 0],
      [seconds(4), 'deny', 1],
    ]);
  });

  it.each([
    ['the same key', {}],
    ['another surface', { surface: 'smart' }],
  ])('that is asked again on the same call ends one still open before it as escalated: %s', (_, other) => {
    const scene = begun().at(3, 'pre_approval_request', { ...asked, ...other });
    expect(scene.nth('approval', 0, 2)).toMatchObject({ end: seconds(3), choice: 'escalated', incomplete: undefined });
    expect(scene.nth('approval', 1, 2).end).toBeUndefined();
  });

  it('that is asked on another call leaves the first one open', () => {
    expect(
      begun()
        .at(3, 'pre_approval_request', { ...asked, tool_call_id: 'c2' })
        .nth('approval', 0, 2).end,
    ).toBeUndefined();
  });

  it('keeps who decided when the hook itself says escalated', () => {
    const node = begun()
      .at(3, 'post_approval_response', { ...asked, choice: 'escalated', decided_by: 'aux_llm' })
      .one('approval');
    expect(node).toMatchObject({ choice: 'escalated', decidedBy: 'aux_llm' });
  });

  it('is not changed by a repeated end', () => {
    const scene = begun()
      .at(4, 'post_approval_response', { ...asked, choice: 'once' })
      .at(5, 'post_approval_response', { ...asked, choice: 'deny' });
    expect(scene.one('approval')).toMatchObject({ end: seconds(4), choice: 'once' });
  });

  it('without any id is a root of its own', () => {
    const scene = new Scene()
      .at(1, 'pre_llm_call', { turn_id: 't' })
      .at(2, 'pre_approval_request', { surface: 'cli' })
      .at(3, 'post_approval_response', { surface: 'cli', choice: 'once' });
    expect(scene.one('approval')).toMatchObject({ parent: undefined, end: seconds(3), choice: 'once' });
  });
});

import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const REASONS = [
  'turn_ended',
  'next_request',
  'next_turn',
  'session_finalized',
  'subagent_stopped',
  'idle_timeout',
  'shutdown',
  'producer_lost',
];

const two = () =>
  new Scene()
    .at(1, 'pre_llm_call', { turn_id: 'a', session_id: 's1' }, { producer: 'one' })
    .at(2, 'pre_llm_call', { turn_id: 'b', session_id: 's2' }, { producer: 'two' })
    .at(3, 'subagent_start', { parent_turn_id: 'a', child_session_id: 'c' }, { producer: 'one' });
const closed = (scene: Scene) =>
  [...scene.all('turn'), ...scene.all('child')]
    .filter(({ end }) => end !== undefined)
    .map(({ invocation }) => invocation.id);
const decide = (payload: Record<string, unknown>) =>
  two().at(99, 'observer_closed', { reason: 'idle_timeout', ...payload });

describe('observer_closed', () => {
  it('of a trace closes the turn and its children, at the last record of the trace', () => {
    const scene = decide({ scope: 'trace', key: 'a' });
    expect(closed(scene)).toEqual(['a', 'c']);
    expect(scene.nth('turn', 0, 2)).toMatchObject({ end: seconds(3), incomplete: 'idle_timeout' });
  });

  it('of a trace whose root is a child closes that child', () => {
    const scene = new Scene().at(1, 'subagent_start', { child_session_id: 'c' });
    scene.at(99, 'observer_closed', { scope: 'trace', key: 'c', reason: 'producer_lost' });
    expect(scene.one('child')).toMatchObject({ end: seconds(1), incomplete: 'producer_lost' });
  });

  it('of a turn closes that turn, and not its children', () => {
    const scene = decide({ scope: 'turn', key: 'a', reason: 'next_turn' });
    expect(closed(scene)).toEqual(['a']);
    expect(scene.nth('turn', 0, 2)).toMatchObject({ end: seconds(3), incomplete: 'next_turn' });
  });

  it('of a producer closes all of its traces', () => {
    expect(closed(decide({ scope: 'producer', key: 'one' }))).toEqual(['a', 'c']);
  });

  it('of all closes everything', () => {
    expect(closed(decide({ scope: 'all' }))).toEqual(['a', 'b', 'c']);
  });

  it.each([
    { scope: 'turn', key: 'x' },
    { scope: 'trace', key: 'x' },
    { scope: 'producer', key: 'x' },
    { scope: 'odd', key: 'a' },
    {},
  ])('of nothing known closes nothing: %j', (payload) => {
    expect(closed(decide(payload))).toEqual([]);
  });

  it.each(REASONS)('gives its reason: %s', (reason) => {
    expect(decide({ scope: 'turn', key: 'b', reason }).nth('turn', 1, 2).incomplete).toBe(reason);
  });

  it.each(['odd', 7, undefined])('with the reason %j is a shutdown', (reason) => {
    expect(decide({ scope: 'turn', key: 'b', reason }).nth('turn', 1, 2).incomplete).toBe('shutdown');
  });

  it('opens nothing, and is no record of the turn it closes', () => {
    const scene = new Scene().at(9, 'observer_closed', { scope: 'turn', key: 'a', turn_id: 'a' });
    expect(scene.sink.started).toEqual([]);
  });

  it('gives what a replay to its end gives: closeAll is the same decision', () => {
    const byRecord = decide({ scope: 'all', reason: 'shutdown' });
    const byCall = two().close('shutdown');
    const view = (scene: Scene) =>
      scene.sink.ended.map(({ kind, end, incomplete, invocation }) => [kind, invocation.id, end, incomplete]);
    expect(view(byRecord)).toEqual(view(byCall));
  });
});

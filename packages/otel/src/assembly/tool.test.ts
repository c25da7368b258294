import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const call = { turn_id: 't', tool_call_id: 'c', tool_name: 'read_file', api_request_id: 'r' };
const begun = () => new Scene().at(1, 'pre_tool_call', call);

describe('a tool call', () => {
  it('is opened by pre_tool_call and closed by post_tool_call, below its turn', () => {
    const scene = begun().at(3, 'post_tool_call', { ...call, status: 'ok' });
    expect(scene.one('tool')).toMatchObject({ start: seconds(1), end: seconds(3), status: 'ok' });
    expect(scene.one('tool').parent).toBe(scene.one('turn'));
  });

  it('beside others is a sibling, never a chain', () => {
    const scene = begun().at(2, 'pre_tool_call', { ...call, tool_call_id: 'c2' });
    expect(scene.all('tool').map(({ parent }) => parent)).toEqual([scene.one('turn'), scene.one('turn')]);
  });

  it('is known by its id, whatever order the ends come in', () => {
    const scene = begun()
      .at(2, 'pre_tool_call', { ...call, tool_call_id: 'c2' })
      .at(3, 'post_tool_call', { ...call, tool_call_id: 'c2' })
      .at(4, 'post_tool_call', call);
    expect(scene.all('tool').map(({ end }) => end)).toEqual([seconds(4), seconds(3)]);
  });

  it('of another turn with the same id is another call', () => {
    const scene = begun().at(2, 'post_tool_call', { ...call, turn_id: 'other' });
    expect(scene.nth('tool', 0, 2).end).toBeUndefined();
    expect(scene.nth('tool', 1, 2).startMissing).toBe(true);
  });

  it('without an id is known by its name, oldest first', () => {
    const named = { turn_id: 't', tool_name: 'terminal' };
    const scene = new Scene()
      .at(1, 'pre_tool_call', named)
      .at(2, 'pre_tool_call', named)
      .at(3, 'pre_tool_call', { ...named, tool_name: 'other' })
      .at(4, 'post_tool_call', named)
      .at(5, 'post_tool_call', named);
    expect(scene.all('tool').map(({ end }) => end)).toEqual([seconds(4), seconds(5), undefined]);
    expect(scene.all('tool').map(({ ordinal }) => ordinal)).toEqual([0, 1, 0]);
  });

  it('started twice with no end between is one span, and the first start wins', () => {
    expect(begun().at(2, 'pre_tool_call', call).one('tool').start).toEqual(seconds(1));
  });

  it('is not changed by a repeated end', () => {
    const scene = begun()
      .at(2, 'post_tool_call', { ...call, status: 'ok' })
      .at(3, 'post_tool_call', { ...call, status: 'error' });
    expect(scene.one('tool')).toMatchObject({ end: seconds(2), status: 'ok', errorType: undefined });
  });

  it('whose id is used again after its end is a new span', () => {
    const scene = begun().at(2, 'post_tool_call', call).at(3, 'pre_tool_call', call);
    expect(scene.all('tool').map(({ ordinal }) => ordinal)).toEqual([0, 1]);
  });

  it('with only an end starts at its end minus its duration, marked as missing', () => {
    const node = new Scene().at(10, 'post_tool_call', { ...call, duration_ms: 2500 }).one('tool');
    expect(node).toMatchObject({ start: seconds(7.5), end: seconds(10), startMissing: true });
  });

  it.each([-250, 1e300, '5', null])('with only an end and an absurd duration has zero length: %j', (duration_ms) => {
    const node = new Scene().at(10, 'post_tool_call', { ...call, duration_ms }).one('tool');
    expect(node).toMatchObject({ start: seconds(10), end: seconds(10) });
  });

  it('gives its sink the payload of its end, whose arguments are those that ran', () => {
    const scene = begun().at(2, 'post_tool_call', { ...call, args: { path: 'changed' } });
    expect(scene.sink.ends.get(scene.one('tool'))).toMatchObject({ args: { path: 'changed' } });
  });
});

describe('the status of a tool', () => {
  const ended = (end: Record<string, unknown>) =>
    begun()
      .at(2, 'post_tool_call', { ...call, ...end })
      .one('tool');

  it.each(['ok', 'blocked', 'cancelled'])('%s is no error', (status) => {
    expect(ended({ status })).toMatchObject({ status, errorType: undefined });
  });

  it('error has the hook’s error_type, else _OTHER', () => {
    expect(ended({ status: 'error', error_type: 'tool_error' }).errorType).toBe('tool_error');
    expect(ended({ status: 'error' }).errorType).toBe('_OTHER');
  });

  it('timeout is an error', () => {
    expect(ended({ status: 'timeout' })).toMatchObject({ status: 'timeout', errorType: 'timeout' });
    expect(ended({ status: 'timeout', error_type: 'deadline' }).errorType).toBe('deadline');
  });

  it.each([undefined, null, '', 'odd', 3])('that is missing or unknown is unknown: %j', (status) => {
    expect(ended({ status })).toMatchObject({ status: 'unknown', errorType: undefined });
  });

  it.each(['blocked', 'cancelled', 'timeout'])('is what the result says when the hook says error: %s', (status) => {
    expect(ended({ status: 'error', result: JSON.stringify({ status }) }).status).toBe(status);
    expect(ended({ status: 'error', result: { status } }).status).toBe(status);
    expect(ended({ status: 'error', result_status: status }).status).toBe(status);
  });

  it('reads result_status before it looks into the result', () => {
    expect(ended({ status: 'error', result_status: 'blocked', result: '{"status":"timeout"}' }).status).toBe('blocked');
  });

  it.each([
    '{"status":"done"}',
    '{"status"',
    '[{"status":"blocked"}]',
    '{"inner":{"status":"blocked"}}',
    'blocked "status"',
  ])('stays error with the result %s', (result) => {
    expect(ended({ status: 'error', result }).status).toBe('error');
  });

  it('stands when it is not error, whatever the result says', () => {
    expect(ended({ status: 'ok', result: '{"status":"blocked"}' }).status).toBe('ok');
  });

  it('blocked has who blocked it only when the hook said blocked', () => {
    expect(ended({ status: 'blocked', error_type: 'plugin_block' }).blockedBy).toBe('plugin_block');
    expect(ended({ status: 'error', error_type: 'x', result_status: 'blocked' }).blockedBy).toBeUndefined();
  });
});

describe('transform_tool_result', () => {
  it('gives the end and status when nothing better has come by the time the parent ends', () => {
    const scene = begun()
      .at(2, 'transform_tool_result', { ...call, status: 'ok' })
      .at(5, 'on_session_end', { turn_id: 't' });
    expect(scene.one('tool')).toMatchObject({ end: seconds(2), status: 'ok', incomplete: undefined });
  });

  it('gives way to a post_tool_call, which always wins', () => {
    const scene = begun()
      .at(2, 'transform_tool_result', { ...call, status: 'ok' })
      .at(3, 'post_tool_call', { ...call, status: 'error' });
    expect(scene.one('tool')).toMatchObject({ end: seconds(3), status: 'error' });
  });

  it('is read when it comes: what throws or changes later does no harm at the end', () => {
    const throwing = Object.defineProperty({ ...call }, 'status', {
      enumerable: true,
      get() {
        throw new Error('hostile');
      },
    });
    const scene = begun().at(2, 'transform_tool_result', throwing);
    expect(() => scene.close()).not.toThrow();
    expect(scene.one('tool')).toMatchObject({ end: seconds(2), status: 'unknown' });
    const live: Record<string, unknown> = { ...call, status: 'ok' };
    const changed = begun().at(2, 'transform_tool_result', live);
    live.status = 'error';
    expect(changed.close().one('tool').status).toBe('ok');
  });

  it('opens nothing', () => {
    const scene = begun().at(2, 'transform_tool_result', { ...call, tool_call_id: 'unseen' });
    expect(scene.all('tool').length).toBe(1);
  });
});

describe('calls from inside execute_code', () => {
  const code = { turn_id: 't', session_id: 's', task_id: 'k', tool_call_id: 'code', tool_name: 'execute_code' };
  const running = () => new Scene().at(1, 'pre_tool_call', code);
  const inner = { task_id: 'k', tool_name: 'web_search' };

  it('that carry only a task hang under the code open for that task', () => {
    const scene = running().at(2, 'pre_tool_call', inner);
    expect(scene.nth('tool', 1, 2).parent).toBe(scene.nth('tool', 0, 2));
  });

  it('with no id at all hang under the only code open of that producer', () => {
    const scene = running().at(2, 'pre_tool_call', { tool_name: 'web_search' });
    expect(scene.nth('tool', 1, 2).parent).toBe(scene.nth('tool', 0, 2));
  });

  it('with no id at all are roots when two run in that producer, or one in another', () => {
    const two = running()
      .at(2, 'pre_tool_call', { ...code, turn_id: 't2', task_id: 'k2' })
      .at(3, 'pre_tool_call', { tool_name: 'x' });
    expect(two.nth('tool', 2, 3).parent).toBeUndefined();
    const other = running().at(2, 'pre_tool_call', { tool_name: 'x' }, { producer: 'other' });
    expect(other.nth('tool', 1, 2).parent).toBeUndefined();
  });

  it('with a session or a call id are calls of the turn', () => {
    const scene = running()
      .at(2, 'pre_tool_call', { ...inner, session_id: 's' })
      .at(3, 'pre_tool_call', { ...inner, tool_call_id: 'c' });
    expect(scene.nth('tool', 1, 3).parent).toBe(scene.one('turn'));
    expect(scene.nth('tool', 2, 3).parent).toBe(scene.one('turn'));
  });

  it('after the code has ended are calls of the task’s turn', () => {
    const scene = running().at(2, 'post_tool_call', code).at(3, 'pre_tool_call', inner);
    expect(scene.nth('tool', 1, 2).parent).toBe(scene.one('turn'));
  });

  it('end as their transform said when the code ends, and are not incomplete', () => {
    const scene = running()
      .at(2, 'pre_tool_call', inner)
      .at(3, 'transform_tool_result', { ...inner, status: 'error', error_type: 'tool_error' })
      .at(4, 'post_tool_call', { ...code, status: 'ok' });
    expect(scene.nth('tool', 1, 2)).toMatchObject({
      end: seconds(3),
      status: 'error',
      errorType: 'tool_error',
      incomplete: undefined,
    });
  });

  it('are each given their own transform, oldest first', () => {
    const scene = running()
      .at(2, 'pre_tool_call', inner)
      .at(3, 'pre_tool_call', inner)
      .at(4, 'transform_tool_result', inner)
      .at(5, 'transform_tool_result', inner)
      .at(6, 'post_tool_call', code);
    expect(scene.all('tool').map(({ end }) => end)).toEqual([seconds(6), seconds(4), seconds(5)]);
  });

  it('end as their transform said when the code is cut with its turn', () => {
    const scene = running()
      .at(2, 'pre_tool_call', inner)
      .at(3, 'transform_tool_result', { ...inner, status: 'ok' })
      .at(4, 'on_session_end', { turn_id: 't' });
    expect(scene.nth('tool', 0, 2).incomplete).toBe('turn_ended');
    expect(scene.nth('tool', 1, 2)).toMatchObject({ end: seconds(3), incomplete: undefined });
  });

  it('end with a post_tool_call that comes for them', () => {
    const scene = running()
      .at(2, 'pre_tool_call', inner)
      .at(3, 'post_tool_call', { ...inner, status: 'ok' });
    expect(scene.nth('tool', 1, 2)).toMatchObject({ end: seconds(3), status: 'ok' });
  });
});

describe('observer_policy_decision', () => {
  it('goes to the tool call it names', () => {
    const scene = begun().at(2, 'observer_policy_decision', { ...call, gate: 'budget', outcome: 'deny' });
    expect(scene.sink.decisions).toMatchObject([{ time: seconds(2), payload: { gate: 'budget' } }]);
    expect(scene.sink.decisions[0]?.node).toBe(scene.one('tool'));
  });

  it('about a call that is not open makes nothing, and is counted', () => {
    const scene = begun()
      .at(2, 'post_tool_call', call)
      .at(3, 'observer_policy_decision', call)
      .at(4, 'observer_policy_decision', { turn_id: 'unseen', tool_call_id: 'c' });
    expect(scene.sink.decisions).toEqual([]);
    expect(scene.stats.unplacedDecisions).toBe(2);
  });
});

import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const request = { turn_id: 't', api_request_id: 'r', model: 'm', provider: 'openai' };
const failure = {
  ...request,
  error: { type: 'RateLimit', message: 'slow down' },
  status_code: 429,
  reason: 'rate_limit',
};
const begun = () => new Scene().at(1, 'pre_api_request', request);

describe('a model request', () => {
  it('is opened by pre_api_request and closed by post_api_request', () => {
    const node = begun().at(3, 'post_api_request', request).one('request');
    expect(node).toMatchObject({ start: seconds(1), end: seconds(3), attempts: 1, model: 'm', incomplete: undefined });
  });

  it('hangs below its turn, beside the tools', () => {
    const scene = begun().at(2, 'pre_tool_call', { turn_id: 't', tool_call_id: 'c' });
    expect(scene.one('request').parent).toBe(scene.one('turn'));
    expect(scene.one('tool').parent).toBe(scene.one('turn'));
  });

  it('is known by its id within its turn', () => {
    const scene = begun()
      .at(2, 'pre_api_request', { ...request, turn_id: 'other' })
      .at(3, 'post_api_request', request);
    expect(scene.nth('request', 0, 2).end).toEqual(seconds(3));
    expect(scene.nth('request', 1, 2).end).toBeUndefined();
  });

  it('is one span for one request even without an id', () => {
    const none = { turn_id: 't', model: 'm' };
    const scene = new Scene().at(1, 'pre_api_request', none).at(2, 'post_api_request', none);
    expect(scene.one('request').end).toEqual(seconds(2));
  });

  it('is a new span when its id is used again after its end', () => {
    const scene = begun().at(2, 'post_api_request', request).at(3, 'pre_api_request', request);
    expect(scene.nth('request', 0, 2).ordinal).toBe(0);
    expect(scene.nth('request', 1, 2)).toMatchObject({ ordinal: 1, start: seconds(3) });
  });

  it('is not changed by a second end', () => {
    const scene = begun()
      .at(2, 'post_api_request', request)
      .at(3, 'post_api_request', request)
      .at(4, 'api_request_error', failure);
    expect(scene.one('request')).toMatchObject({ end: seconds(2), errorType: undefined, failedAttempts: 0 });
  });

  it('with only an end has a start that is marked as missing, by its duration', () => {
    const node = new Scene().at(10, 'post_api_request', { ...request, api_duration: 2.5 }).one('request');
    expect(node).toMatchObject({ start: seconds(7.5), end: seconds(10), startMissing: true, attempts: 1 });
  });

  it.each([-1, 1e12, 'long', Number.NaN, undefined])(
    'with only an end and an absurd duration has zero length: %j',
    (api_duration) => {
      const node = new Scene().at(10, 'post_api_request', { ...request, api_duration }).one('request');
      expect(node).toMatchObject({ start: seconds(10), end: seconds(10), startMissing: true });
    },
  );

  it('never ends before its start when the clock steps back', () => {
    const node = new Scene().at(10, 'pre_api_request', request).at(4, 'post_api_request', request).one('request');
    expect(node.end).toEqual(seconds(10));
  });
});

describe('a retry: the same id, provider and model', () => {
  it('stays in the same span, with an event for each failed attempt', () => {
    const scene = begun()
      .at(2, 'api_request_error', failure)
      .at(3, 'pre_api_request', request)
      .at(5, 'api_request_error', failure)
      .at(6, 'pre_api_request', request)
      .at(7, 'post_api_request', request);
    expect(scene.one('request')).toMatchObject({ attempts: 3, end: seconds(7), errorType: undefined });
    expect(scene.sink.failures.map((event) => event.failure)).toMatchObject([
      {
        attempt: 1,
        type: 'RateLimit',
        statusCode: 429,
        retryReason: 'rate_limit',
        durationMillis: 1000,
        time: seconds(2),
      },
      { attempt: 2, durationMillis: 2000, time: seconds(5) },
    ]);
  });

  it('counts an attempt whose end was never reported, without an event', () => {
    const scene = begun().at(2, 'pre_api_request', request).at(3, 'api_request_error', failure);
    expect(scene.one('request').attempts).toBe(2);
    expect(scene.sink.failures.map(({ failure: { attempt } }) => attempt)).toEqual([2]);
  });

  it('has a duration from the record of this attempt’s start, not from the hook’s own count', () => {
    const scene = begun().at(2.5, 'api_request_error', { ...failure, api_duration: 99 });
    expect(scene.sink.failures[0]?.failure.durationMillis).toBe(1500);
  });

  it('has no duration where the start of the attempt was not seen', () => {
    const scene = new Scene().at(2, 'api_request_error', { ...failure, api_duration: 1 });
    expect(scene.sink.failures[0]?.failure).toMatchObject({ attempt: 1, durationMillis: undefined });
    expect(scene.one('request')).toMatchObject({ attempts: 1, startMissing: true, start: seconds(1) });
  });

  it('is counted once when a field of it throws', () => {
    const hostile = Object.defineProperty({ ...failure }, 'reason', {
      enumerable: true,
      get() {
        throw new Error('hostile');
      },
    });
    const scene = begun().at(2, 'api_request_error', hostile);
    expect(scene.one('request')).toMatchObject({ attempts: 1, failedAttempts: 1 });
    expect(scene.sink.failures.map(({ failure: { attempt } }) => attempt)).toEqual([1]);
  });

  it('names an unnamed error _OTHER', () => {
    const scene = begun().at(2, 'api_request_error', { ...request, error: 'text' });
    expect(scene.sink.failures[0]?.failure.type).toBe('_OTHER');
  });
});

describe('a request that failed for good', () => {
  it('ends at its last error when nothing follows', () => {
    const node = begun()
      .at(2, 'api_request_error', failure)
      .at(9, 'on_session_end', { turn_id: 't', failed: true })
      .one('request');
    expect(node).toMatchObject({ end: seconds(2), errorType: 'RateLimit', incomplete: undefined });
  });

  it('is incomplete instead when another attempt began after the error', () => {
    const scene = begun().at(2, 'api_request_error', failure).at(3, 'pre_api_request', request);
    expect(scene.at(9, 'on_session_end', { turn_id: 't' }).one('request')).toMatchObject({
      end: seconds(9),
      errorType: undefined,
      incomplete: 'turn_ended',
    });
  });
});

describe('a fallback: the same id with another provider or model', () => {
  it.each([{ model: 'other' }, { provider: 'other' }])('ends the span as failed at its last error: %j', (other) => {
    const scene = begun()
      .at(2, 'api_request_error', failure)
      .at(4, 'pre_api_request', { ...request, ...other });
    expect(scene.nth('request', 0, 2)).toMatchObject({ end: seconds(2), errorType: 'RateLimit' });
    expect(scene.nth('request', 1, 2)).toMatchObject({ start: seconds(4), ordinal: 1, attempts: 1, ...other });
  });

  it('without an error seen ends it at the new start, as _OTHER', () => {
    const scene = begun().at(4, 'pre_api_request', { ...request, model: 'other' });
    expect(scene.nth('request', 0, 2)).toMatchObject({ end: seconds(4), errorType: '_OTHER', incomplete: undefined });
  });
});

describe('a request of another id in the same turn', () => {
  it('ends one that is still open, at its own time, marked next_request', () => {
    const scene = begun().at(4, 'pre_api_request', { ...request, api_request_id: 'r2' });
    expect(scene.nth('request', 0, 2)).toMatchObject({
      end: seconds(4),
      incomplete: 'next_request',
      errorType: undefined,
    });
  });

  it('ends one that has failed at its last error', () => {
    const scene = begun()
      .at(2, 'api_request_error', failure)
      .at(4, 'pre_api_request', { ...request, api_request_id: 'r2' });
    expect(scene.nth('request', 0, 2)).toMatchObject({
      end: seconds(2),
      incomplete: undefined,
      errorType: 'RateLimit',
    });
  });

  it('ends none of another turn, and none of another turn of the same child', () => {
    const child = { session_id: 'cs' };
    const scene = begun()
      .at(2, 'pre_api_request', { ...request, turn_id: 'other', api_request_id: 'r2' })
      .at(3, 'subagent_start', { parent_turn_id: 't', child_session_id: 'cs' })
      .at(4, 'pre_api_request', { ...child, turn_id: 'c1', api_request_id: 'r3' })
      .at(5, 'pre_api_request', { ...child, turn_id: 'c2', api_request_id: 'r4' });
    expect(scene.all('request').map(({ end }) => end)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('ends no auxiliary call', () => {
    const scene = begun().at(2, 'pre_auxiliary_call', { turn_id: 't', aux_task: 'vision' });
    expect(scene.at(3, 'pre_api_request', { ...request, api_request_id: 'r2' }).one('auxiliary').end).toBeUndefined();
  });
});

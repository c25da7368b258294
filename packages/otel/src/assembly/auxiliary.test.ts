import { describe, expect, it } from 'vitest';
import { Scene, seconds } from './scene.test-support.js';

const aux = { turn_id: 't', aux_task: 'title_generation', api_request_id: 'aux-1', model: 'mini', provider: 'openai' };

describe('an auxiliary request', () => {
  it('is opened by pre_auxiliary_call and closed by post_auxiliary_call', () => {
    const scene = new Scene().at(1, 'pre_auxiliary_call', aux).at(2, 'post_auxiliary_call', aux);
    expect(scene.one('auxiliary')).toMatchObject({
      end: seconds(2),
      auxTask: 'title_generation',
      parent: scene.one('turn'),
    });
  });

  it('is one span for all attempts of an id', () => {
    const scene = new Scene()
      .at(1, 'pre_auxiliary_call', aux)
      .at(2, 'post_auxiliary_call', { ...aux, error_type: 'Timeout', error: 'slow', status_code: 504 })
      .at(3, 'pre_auxiliary_call', aux)
      .at(4, 'post_auxiliary_call', aux);
    expect(scene.one('auxiliary')).toMatchObject({ attempts: 2, end: seconds(4), errorType: undefined });
    expect(scene.sink.failures[0]?.failure).toMatchObject({
      attempt: 1,
      type: 'Timeout',
      statusCode: 504,
      message: 'slow',
    });
  });

  it('that failed ends at its last error', () => {
    const scene = new Scene().at(1, 'pre_auxiliary_call', aux).at(2, 'post_auxiliary_call', { ...aux, error: 'no' });
    expect(scene.close().one('auxiliary')).toMatchObject({
      end: seconds(2),
      errorType: '_OTHER',
      incomplete: undefined,
    });
  });

  it('with another model under its id is a new span', () => {
    const scene = new Scene().at(1, 'pre_auxiliary_call', aux).at(2, 'pre_auxiliary_call', { ...aux, model: 'other' });
    expect(scene.nth('auxiliary', 0, 2)).toMatchObject({ end: seconds(2), errorType: '_OTHER' });
  });

  it('without an id is known by its task', () => {
    const { api_request_id: _, ...plain } = aux;
    const scene = new Scene()
      .at(1, 'pre_auxiliary_call', plain)
      .at(2, 'pre_auxiliary_call', { ...plain, aux_task: 'vision' })
      .at(3, 'post_auxiliary_call', plain);
    expect(scene.nth('auxiliary', 0, 2).end).toEqual(seconds(3));
    expect(scene.nth('auxiliary', 1, 2).end).toBeUndefined();
  });

  it('shares no keys with the requests of the turn', () => {
    const scene = new Scene()
      .at(1, 'pre_api_request', { turn_id: 't', api_request_id: 'aux-1' })
      .at(2, 'pre_auxiliary_call', aux);
    expect(scene.one('request').end).toBeUndefined();
    expect(scene.one('auxiliary').ordinal).toBe(0);
  });
});

describe('usage of a mixture of agents, which comes twice', () => {
  const moa = { turn_id: 't', api_request_id: 'r', provider: 'moa' };
  const aggregator = { turn_id: 't', api_request_id: 'aux-2', aux_task: 'moa_aggregator' };

  it('stands on the auxiliary chat when that ended inside the moa chat', () => {
    const scene = new Scene()
      .at(1, 'pre_api_request', moa)
      .at(2, 'pre_auxiliary_call', aggregator)
      .at(3, 'post_auxiliary_call', aggregator)
      .at(4, 'post_api_request', moa);
    expect(scene.one('request').usageElsewhere).toBe(true);
    expect(scene.one('auxiliary').usageElsewhere).toBe(false);
  });

  it('stands on the moa chat when that ended first', () => {
    const scene = new Scene()
      .at(1, 'pre_api_request', moa)
      .at(2, 'pre_auxiliary_call', aggregator)
      .at(3, 'post_api_request', moa)
      .at(4, 'post_auxiliary_call', aggregator);
    expect(scene.one('request').usageElsewhere).toBe(false);
    expect(scene.one('auxiliary').usageElsewhere).toBe(true);
  });

  it.each([
    ['another auxiliary task', { ...aggregator, aux_task: 'moa_reference' }, moa],
    ['another provider', aggregator, { ...moa, provider: 'openai' }],
  ])('comes once with %s', (_, auxiliary, request) => {
    const scene = new Scene()
      .at(1, 'pre_api_request', request)
      .at(2, 'pre_auxiliary_call', auxiliary)
      .at(3, 'post_auxiliary_call', auxiliary)
      .at(4, 'post_api_request', request);
    expect([scene.one('request').usageElsewhere, scene.one('auxiliary').usageElsewhere]).toEqual([false, false]);
  });
});

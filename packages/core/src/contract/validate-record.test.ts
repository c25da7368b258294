import { describe, expect, test } from 'vitest';
import { validateRecord } from './validate-record.js';

const record = (hook: string, payload: unknown) => ({
  hook,
  time_unix_nano: '1764450000000000000',
  seq: 1,
  producer: 'p',
  payload,
});

describe('validateRecord', () => {
  test('finds nothing odd in a sound record', () => {
    expect(
      validateRecord(record('pre_tool_call', { tool_name: 'terminal', args: {}, turn_id: '', new_key: 1 })),
    ).toEqual([]);
  });

  test('takes what agents are known to send', () => {
    expect(validateRecord(record('api_request_error', { status_code: 'invalid_response' }))).toEqual([]);
    expect(validateRecord(record('post_tool_call', { result: { _multimodal: true } }))).toEqual([]);
    expect(validateRecord(record('pre_llm_call', { user_message: [{ type: 'text' }], session_id: null }))).toEqual([]);
    expect(validateRecord(record('pre_api_request', { request: 'not json', system_prompt: [] }))).toEqual([]);
    expect(validateRecord(record('pre_api_request', { request: { _truncated: true, preview: '{' } }))).toEqual([]);
    expect(validateRecord({ ...record('observer_hello', {}), profile: null, seq: null })).toEqual([]);
  });

  test('names the place, what was expected and what came, and no value', () => {
    const oddities = validateRecord(
      record('post_api_request', { model: 7, usage: { input_tokens: 'secret' }, moa_references: [{ label: [] }] }),
    );
    expect(oddities.map(({ path }) => path)).toEqual([
      'payload.model',
      'payload.usage.input_tokens',
      'payload.moa_references[0].label',
    ]);
    expect(oddities[0]).toEqual({
      kind: 'payload',
      level: 'warning',
      hook: 'post_api_request',
      path: 'payload.model',
      message: 'Invalid input: expected string, received number',
    });
    expect(JSON.stringify(oddities)).not.toContain('secret');
  });

  test('tells the branches of a union', () => {
    const [oddity] = validateRecord(record('api_request_error', { status_code: true }));
    expect(oddity?.message).toBe(
      'Invalid input: expected number, received boolean; or Invalid input: expected string, received boolean',
    );
  });

  test('tells an unknown hook as information', () => {
    expect(validateRecord(record('on_future_thing', { any: 1 }))).toMatchObject([
      { kind: 'unknown_hook', level: 'info', hook: 'on_future_thing' },
    ]);
    expect(validateRecord(record('__proto__', {}))).toMatchObject([{ kind: 'unknown_hook' }]);
  });

  test('tells an odd envelope', () => {
    expect(
      validateRecord({ ...record('pre_llm_call', {}), seq: 'x', time_unix_nano: 5 }).map(({ path }) => path),
    ).toEqual(['time_unix_nano', 'seq']);
    expect(validateRecord(record('pre_llm_call', []))).toMatchObject([{ kind: 'envelope', path: 'payload' }]);
    for (const value of [undefined, null, 'text', 3, [], {}]) expect(validateRecord(value)).not.toEqual([]);
  });

  test('never throws', () => {
    const payload = {
      get model() {
        throw new Error('mine');
      },
    };
    expect(validateRecord(record('pre_llm_call', payload))).toMatchObject([{ kind: 'unreadable' }]);
    const proxy = new Proxy(
      {},
      {
        get: () => {
          throw new Error('mine');
        },
        getPrototypeOf: () => {
          throw new Error('mine');
        },
      },
    );
    expect(validateRecord(proxy)).toMatchObject([{ kind: 'unreadable' }]);
  });
});

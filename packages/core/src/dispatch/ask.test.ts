import { describe, expect, it } from 'vitest';
import { Hub } from './hub.js';

type Answer = [hook: string, payload: Record<string, unknown>, answers: unknown[], expected: unknown];
const boom = () => {
  throw new Error('boom');
};

const CASES: Answer[] = [
  [
    'pre_llm_call',
    {},
    [{ context: 'one' }, '  ', 'two', { context: '' }, boom, 7],
    { context: 'one\n\ntwo', by: ['r0', 'r2'] },
  ],
  ['pre_llm_call', {}, [], { by: [] }],
  ['transform_tool_result', { result: 'old' }, [undefined, { a: 1 }, '', 'x'], { value: '', by: 'r2' }],
  ['transform_tool_result', { result: 'old' }, [boom, 5], { value: 'old' }],
  ['transform_terminal_output', { output: 'old' }, ['new'], { value: 'new', by: 'r0' }],
  ['transform_llm_output', { response_text: 'old' }, ['', 'new'], { value: 'new', by: 'r1' }],
  ['transform_llm_output', { response_text: 'old' }, [''], { value: 'old' }],
  [
    'pre_verify',
    {},
    [{ action: 'continue' }, { decision: 'block', reason: 'tests fail' }],
    { continue: true, message: 'tests fail', by: 'r1' },
  ],
  ['pre_verify', {}, [boom], { continue: false }],
  [
    'pre_gateway_dispatch',
    {},
    [{ action: 'rewrite' }, { action: 'skip', reason: 'spam' }],
    { action: 'skip', reason: 'spam', by: 'r1' },
  ],
  [
    'pre_gateway_dispatch',
    {},
    [{ action: 'rewrite', text: 'hi' }, { action: 'skip' }],
    { action: 'rewrite', text: 'hi', by: 'r0' },
  ],
  ['pre_gateway_dispatch', {}, [boom], { action: 'allow' }],
  [
    'transform_api_error_classification',
    {},
    [{ retryable: true }, { reason: 'rate_limit' }],
    { classification: { reason: 'rate_limit' }, by: 'r1' },
  ],
  [
    'pre_transcription',
    {},
    [{ prompt: 'a', language: 'de' }, { prompt: 'b', model: 7, file_path: 'x' }, { x: 1 }],
    { fields: { prompt: 'b', language: 'de' }, by: ['r0', 'r1'] },
  ],
  [
    'pre_tts_synthesis',
    { text: 'say' },
    [{ text: 'said' }, undefined],
    { decision: 'allow', text: 'said', by: ['r0'] },
  ],
  [
    'pre_tts_synthesis',
    { text: 'say' },
    [{ action: 'block', message: 'no' }],
    { decision: 'block', text: 'say', reason: 'no', kind: 'denied', by: ['r0'] },
  ],
  ['pre_tts_synthesis', { text: 'say' }, ['said'], { decision: 'block', kind: 'hook_error' }],
  ['pre_tts_synthesis', { text: 'say' }, [boom], { decision: 'block', kind: 'hook_error' }],
  ['my_hook', {}, [1, undefined, 'two'], { answers: [1, 'two'], by: ['r0', 'r2'] }],
  ['constructor', {}, [1], { answers: [1], by: ['r0'] }],
];

describe('ask by the rules of each hook', () => {
  it.each(CASES)('%s %j', async (hook, payload, answers, expected) => {
    const hub = new Hub({ onError: () => {} });
    answers.forEach((answer, i) => {
      hub.respond(hook, typeof answer === 'function' ? (answer as () => unknown) : async () => answer, {
        name: `r${i}`,
      });
    });
    const result = await hub.ask(hook, payload);
    if (JSON.stringify(expected).includes('hook_error')) expect(result).toMatchObject(expected as object);
    else expect(result).toEqual(expected);
  });

  it('asks once more about a text to be spoken that was rewritten', async () => {
    const hub = new Hub({ onError: () => {} });
    hub.respond(
      'pre_tts_synthesis',
      (payload) => (payload.text === 'bad' ? { action: 'block', message: 'rude' } : undefined),
      { name: 'guard' },
    );
    hub.respond('pre_tts_synthesis', () => ({ text: 'bad' }), { name: 'writer' });
    expect(await hub.ask('pre_tts_synthesis', { text: 'good' })).toEqual({
      decision: 'block',
      text: 'bad',
      reason: 'rude',
      kind: 'denied',
      by: ['guard'],
    });
  });

  it('resolves without payload, with odd options, and takes no timer for a prompt answer', async () => {
    const hub = new Hub({ onError: () => {} });
    expect(await hub.ask('pre_llm_call', undefined as never)).toEqual({ by: [] });
    hub.respond('pre_llm_call', () => 'x', { name: 'r' });
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    expect(await hub.ask('pre_llm_call', {}, { timeoutMs: Number.NaN })).toEqual({ context: 'x', by: ['r'] });
    hub.respond('pre_llm_call', async () => 'y', { name: 's' });
    expect(await hub.ask('pre_llm_call', {}, { timeoutMs: Number.POSITIVE_INFINITY })).toEqual({
      context: 'x\n\ny',
      by: ['r', 's'],
    });
    expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBe(timers);
  });

  it('stops asking a responder that has ended', async () => {
    const hub = new Hub();
    const end = hub.respond('x', () => 1);
    expect(hub.hasResponder('x')).toBe(true);
    end();
    end();
    expect(hub.hasResponder('x')).toBe(false);
    expect(await hub.ask('x', {})).toEqual({ answers: [], by: [] });
  });
});

describe('options of ask that throw', () => {
  const throwing = (name: string) => Object.defineProperty({}, name, { get: boom });
  const noSignal = { signal: { aborted: false, addEventListener: boom } as unknown as AbortSignal };
  it.each([
    ['a signal that cannot be read', throwing('signal')],
    ['a limit that cannot be read', throwing('timeoutMs')],
    ['a signal that is none', noSignal],
    ['a signal whose state cannot be read', { signal: throwing('aborted') as AbortSignal }],
  ])('never reject: a guard blocks, other hooks keep their text: %s', async (_kind, options) => {
    const hub = new Hub({ onError: () => {} });
    hub.respond('pre_tool_call', async () => undefined);
    hub.respond('transform_tool_result', async () => 'new');
    const asked = [
      hub.ask('pre_tool_call', { tool_name: 't', args: {} } as never, options),
      hub.ask('transform_tool_result', { result: 'old' } as never, options),
    ];
    expect(await Promise.all(asked)).toMatchObject([{ decision: 'block' }, { value: 'old' }]);
  });
});

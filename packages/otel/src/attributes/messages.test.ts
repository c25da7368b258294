import { describe, expect, it } from 'vitest';
import { requestMessages, responseMessage, systemInstructions, toMessage } from './messages.js';

const text = (content: string) => ({ type: 'text', content });

describe('a message of chat completions', () => {
  it('has its text as one part', () => {
    expect(toMessage({ role: 'user', content: 'hi' })).toEqual({ role: 'user', parts: [text('hi')] });
  });

  it('has a part for each part of its content', () => {
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'https://i.test/a.png' } },
    ];
    expect(toMessage({ role: 'user', content }).parts).toEqual([
      text('look'),
      { type: 'uri', modality: 'image', uri: 'https://i.test/a.png' },
    ]);
  });

  it('has its tool calls, with their arguments as values', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }];
    expect(toMessage({ role: 'assistant', content: null, tool_calls: calls })).toEqual({
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'c1', name: 'read_file', arguments: { path: 'a' } }],
    });
  });

  it('keeps arguments that are no JSON as text', () => {
    const calls = [{ id: 'c1', function: { name: 'x', arguments: '{"path":' } }];
    expect(toMessage({ role: 'assistant', tool_calls: calls }).parts[0]).toMatchObject({ arguments: '{"path":' });
  });

  it('of a tool is its response', () => {
    expect(toMessage({ role: 'tool', tool_call_id: 'c1', content: 'done' })).toEqual({
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: 'c1', response: 'done' }],
    });
  });

  it('has its reasoning before its text', () => {
    const message = toMessage({ role: 'assistant', content: 'so', reasoning_content: 'because' });
    expect(message.parts).toEqual([{ type: 'reasoning', content: 'because' }, text('so')]);
  });
});

describe('a message of Anthropic', () => {
  it('has thinking, text, tool use and tool result as parts', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'so' },
      { type: 'tool_use', id: 'u1', name: 'read_file', input: { path: 'a' } },
      { type: 'tool_result', tool_use_id: 'u1', content: [{ type: 'text', text: 'b' }] },
    ];
    expect(toMessage({ role: 'assistant', content }).parts).toEqual([
      { type: 'reasoning', content: 'hm' },
      text('so'),
      { type: 'tool_call', id: 'u1', name: 'read_file', arguments: { path: 'a' } },
      { type: 'tool_call_response', id: 'u1', response: [{ type: 'text', text: 'b' }] },
    ]);
  });
});

describe('an item of Responses', () => {
  it('is a message, a function call, its output or reasoning', () => {
    expect(toMessage({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] })).toEqual({
      role: 'user',
      parts: [text('hi')],
    });
    expect(toMessage({ type: 'function_call', call_id: 'f1', name: 'x', arguments: '{}' })).toEqual({
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'f1', name: 'x', arguments: {} }],
    });
    expect(toMessage({ type: 'function_call_output', call_id: 'f1', output: 'ok' })).toEqual({
      role: 'tool',
      parts: [{ type: 'tool_call_response', id: 'f1', response: 'ok' }],
    });
    expect(toMessage({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] })).toEqual({
      role: 'assistant',
      parts: [{ type: 'reasoning', content: [{ type: 'summary_text', text: 'hm' }] }],
    });
  });
});

describe('what is not recognised', () => {
  it.each([
    ['plain', { role: 'user', parts: [text('plain')] }],
    [7, { role: 'user', parts: [text('7')] }],
    [null, { role: 'user', parts: [] }],
    [{ _truncated_items: 4 }, { role: 'user', parts: [{ _truncated_items: 4, type: 'unknown' }] }],
    [
      { role: 'user', content: [{ type: 'audio', data: 'x' }] },
      { role: 'user', parts: [{ type: 'audio', data: 'x' }] },
    ],
  ])('is kept as it is: %j', (value, message) => expect(toMessage(value)).toEqual(message));

  it.each([10n, Symbol('s'), () => 1, undefined])('is no reason to throw: %s', (value) => {
    expect(() => toMessage({ role: 'user', content: [value] })).not.toThrow();
  });
});

describe('the messages of a request', () => {
  const sent = [{ role: 'user', content: 'sent' }];
  const held = [{ role: 'user', content: 'held' }];

  it.each(['messages', 'input'])('are those of the body, which is what was sent: %s', (name) => {
    expect(requestMessages({ request: { body: { [name]: sent } }, request_messages: held })).toBe(sent);
  });

  it('are those the agent holds where it cut the body', () => {
    const cut = [...sent, { _truncated_items: 9 }];
    expect(requestMessages({ request: { body: { messages: cut } }, request_messages: held })).toBe(held);
    expect(requestMessages({ request: { body: { messages: cut } } })).toBe(cut);
    expect(requestMessages({ request: { body: { preview: 'cut' } }, request_messages: held })).toBe(held);
  });

  it('are a text body, a text input or a preview where there is nothing better', () => {
    expect(requestMessages({ request: { body: 'raw' } })).toEqual(['raw']);
    expect(requestMessages({ request: { body: { input: 'ask' } } })).toEqual(['ask']);
    expect(requestMessages({ request: { body: { preview: 'cut' } } })).toEqual(['cut']);
  });

  it.each([
    {},
    { request: 'x' },
    { request: { body: [] } },
    { request_messages: [] },
    { request: { body: { messages: [] } } },
  ])('are none in %j', (payload) => expect(requestMessages(payload)).toBeUndefined());
});

describe('system instructions', () => {
  it('are the system prompt, else those of the body', () => {
    expect(systemInstructions({ system_prompt: 'be kind' })).toEqual([text('be kind')]);
    expect(systemInstructions({ request: { body: { system: [{ type: 'text', text: 'be kind' }] } } })).toEqual([
      text('be kind'),
    ]);
    expect(systemInstructions({ request: { body: { instructions: 'be kind' } } })).toEqual([text('be kind')]);
    expect(systemInstructions({})).toBeUndefined();
  });
});

describe('the answer of a request', () => {
  it('is its one choice, with the finish reason', () => {
    const payload = { finish_reason: 'stop', response: { assistant_message: { role: 'assistant', content: 'yes' } } };
    expect(responseMessage(payload)).toEqual({ role: 'assistant', parts: [text('yes')], finish_reason: 'stop' });
  });

  it('may stand on the payload itself, and have no role', () => {
    expect(responseMessage({ assistant_message: { content: 'yes' } })).toEqual({
      role: 'assistant',
      parts: [text('yes')],
    });
  });

  it.each([{}, { response: 'x' }, { response: {} }, { assistant_message: 'x' }])('is none in %j', (payload) => {
    expect(responseMessage(payload)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { readConversation } from './conversation.js';

const json = JSON.stringify;
const text = (content: string) => ({ type: 'text', content });

describe('readConversation', () => {
  it('puts results to their calls, and leaves no empty messages', () => {
    const input = json([
      { role: 'user', parts: [text('List it')] },
      {
        role: 'assistant',
        parts: [text('I look'), { type: 'tool_call', id: 'c1', name: 'ls', arguments: { path: '.' } }],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '{"files":["a"]}' }] },
    ]);
    const output = json([{ role: 'assistant', parts: [text('One file')], finish_reason: 'stop' }]);
    const messages = readConversation(input, output, json([text('Be brief')]));
    expect(messages.map(({ role, isAnswer }) => [role, isAnswer])).toEqual([
      ['system', false],
      ['user', false],
      ['assistant', false],
      ['assistant', true],
    ]);
    expect(messages[2]?.parts[1]).toEqual({
      type: 'call',
      id: 'c1',
      name: 'ls',
      args: { path: '.' },
      result: { files: ['a'] },
      hasResult: true,
    });
    expect(messages[3]?.finish).toBe('stop');
  });

  it('gives a result to the last call of its id, and keeps one without a call', () => {
    const call = { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'x', arguments: {} }] };
    const result = (response: string, id = 'c') => ({
      role: 'tool',
      parts: [{ type: 'tool_call_response', id, response }],
    });
    const messages = readConversation(
      json([call, result('one'), call, result('two'), result('lost', 'gone')]),
      undefined,
      undefined,
    );
    expect(messages.map(({ parts: [part] }) => part)).toMatchObject([
      { type: 'call', result: 'one' },
      { type: 'call', result: 'two' },
      { type: 'result', value: 'lost' },
    ]);
  });

  it('does not show the system prompt twice', () => {
    const input = json([{ role: 'system', parts: [text('Be brief')] }]);
    expect(readConversation(input, undefined, json([text('Be brief')]))).toHaveLength(1);
  });

  it('names media, and says what was left out', () => {
    const parts = [
      { type: 'blob', mime_type: 'image/png', content: 'AAAA' },
      { type: 'uri', modality: 'image', uri: 'https://example.com/a.png' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      { type: 'hermes.left_out', messages: 12 },
    ];
    expect(readConversation(json([{ role: 'user', parts }]), '', null)[0]?.parts).toEqual([
      { type: 'media', kind: 'image/png', about: '4 characters of data' },
      { type: 'media', kind: 'image', about: 'https://example.com/a.png' },
      { type: 'media', kind: 'image_url', about: '26 characters of data' },
      { type: 'left-out', count: 12 },
    ]);
  });

  it.each([
    ['plain words'],
    ['[{"role": cut'],
    ['{"a":1}'],
    ['[1,null,"x",{"role":7},{"role":"user","content":"old shape"}]'],
    [42],
  ])('takes %j as it is', (value) => {
    const messages = readConversation(value, undefined, undefined);
    expect(messages.length).toBeGreaterThan(0);
    for (const { parts } of messages) expect(parts.length).toBeGreaterThan(0);
  });
});

import { contractUsage } from '@hermes-observer/core';
import { describe, expect, it } from 'vitest';
import { readAnswer } from './answer.js';
import { StreamedAnswer } from './streamed-answer.js';

describe('usage', () => {
  it.each<[string, object, Record<string, number> | undefined]>([
    [
      'TokenUsage',
      { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, cacheWriteTokens: 1, reasoningTokens: 2 },
      {
        prompt_tokens: 10,
        input_tokens: 5,
        output_tokens: 5,
        cache_read_tokens: 4,
        cache_write_tokens: 1,
        reasoning_tokens: 2,
        total_tokens: 15,
      },
    ],
    [
      'a chat completion: cached tokens are part of the prompt',
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 8 },
      },
      {
        prompt_tokens: 100,
        input_tokens: 36,
        output_tokens: 20,
        cache_read_tokens: 64,
        reasoning_tokens: 8,
        total_tokens: 120,
      },
    ],
    [
      'Responses: cached tokens are part of the input',
      {
        input_tokens: 100,
        output_tokens: 20,
        input_tokens_details: { cached_tokens: 64 },
        output_tokens_details: { reasoning_tokens: 8 },
      },
      {
        prompt_tokens: 100,
        input_tokens: 36,
        output_tokens: 20,
        cache_read_tokens: 64,
        reasoning_tokens: 8,
        total_tokens: 120,
      },
    ],
    [
      'Anthropic: cached tokens come on top of the input',
      { input_tokens: 10, cache_read_input_tokens: 64, cache_creation_input_tokens: 26, output_tokens: 20 },
      {
        prompt_tokens: 100,
        input_tokens: 10,
        output_tokens: 20,
        cache_read_tokens: 64,
        cache_write_tokens: 26,
        total_tokens: 120,
      },
    ],
    ['nothing where nothing is told', { cost: 1 }, undefined],
    ['no counts that are none', { prompt_tokens: -1, completion_tokens: 1.5 }, undefined],
    ['what is known alone', { completion_tokens: 3 }, { output_tokens: 3 }],
  ])('of %s', (_name, usage, expected) => {
    expect(contractUsage(usage)).toEqual(expected);
  });

  it('in the contract’s own shape stays what it is', () => {
    const own = { prompt_tokens: 9, input_tokens: 4, output_tokens: 2, cache_read_tokens: 5, total_tokens: 11 };
    expect(contractUsage(own)).toEqual(own);
    const { prompt_tokens: _, ...parts } = own;
    expect(contractUsage(parts)).toEqual(own);
  });
});

describe('an answer', () => {
  it('of a chat completion', () => {
    const message = { role: 'assistant', content: 'hello', tool_calls: [{ id: 'c' }] };
    const value = { model: 'gpt-x', choices: [{ finish_reason: 'tool_calls', message }], usage: { prompt_tokens: 1 } };
    expect(readAnswer(value)).toEqual({
      usage: { prompt_tokens: 1, input_tokens: 1 },
      finishReason: 'tool_calls',
      responseModel: 'gpt-x',
      message,
      toolCalls: 1,
      characters: 5,
    });
  });

  it.each([
    ['completed', undefined, [], 'stop'],
    ['completed', undefined, [{ type: 'function_call', name: 'a' }], 'tool_calls'],
    ['incomplete', 'max_output_tokens', [], 'length'],
    ['incomplete', 'content_filter', [], 'content_filter'],
    ['failed', undefined, [], 'error'],
    ['cancelled', undefined, [], 'cancelled'],
  ])('of a Responses object that is %s (%s)', (status, reason, calls, finishReason) => {
    const text = { type: 'output_text', text: 'hello' };
    const output = [{ type: 'reasoning' }, { type: 'message', content: [text] }, ...calls];
    const incomplete_details = reason === undefined ? null : { reason };
    expect(readAnswer({ object: 'response', status, incomplete_details, model: 'o-x', output })).toMatchObject({
      finishReason,
      responseModel: 'o-x',
      characters: 5,
      toolCalls: calls.length,
      message: { role: 'assistant', content: [{ type: 'reasoning' }, text, ...calls] },
    });
  });

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'pause_turn'],
    ['constructor', 'constructor'],
  ])('of an Anthropic message that stopped for %s', (stop_reason, finishReason) => {
    const content = [{ type: 'text', text: 'hello' }, { type: 'tool_use' }];
    const message = { type: 'message', role: 'assistant', model: 'c-x', content, stop_reason };
    expect(readAnswer(message)).toMatchObject({ finishReason, responseModel: 'c-x', toolCalls: 1, characters: 5 });
  });

  it('of anything else is none', () => {
    for (const value of [undefined, null, 1, 'x', {}, [], { choices: 1 }, { choices: [] }, { type: 'message' }]) {
      expect(readAnswer(value)).toBeUndefined();
    }
  });
});

describe('a streamed answer', () => {
  const from = (chunks: readonly unknown[]) => {
    const answer = new StreamedAnswer();
    for (const chunk of chunks) answer.add(chunk);
    return answer.answer();
  };

  it('of chat completion chunks, with tool calls in pieces', () => {
    const piece = (index: number, args: string, head = {}) => ({
      choices: [{ delta: { tool_calls: [{ index, function: { arguments: args }, ...head }] } }],
    });
    expect(
      from([
        { model: 'gpt-x', choices: [{ delta: { content: 'let me' } }] },
        piece(0, '', { id: 'c0', function: { name: 'a', arguments: '{"x"' } }),
        piece(1, '', { id: 'c1', function: { name: 'b', arguments: '{}' } }),
        piece(0, ':1}'),
        { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
        { choices: [], usage: { prompt_tokens: 5, completion_tokens: 6 } },
      ]),
    ).toEqual({
      usage: { prompt_tokens: 5, input_tokens: 5, output_tokens: 6, total_tokens: 11 },
      finishReason: 'tool_calls',
      responseModel: 'gpt-x',
      message: {
        role: 'assistant',
        content: 'let me',
        tool_calls: [
          { id: 'c0', name: 'a', arguments: '{"x":1}' },
          { id: 'c1', name: 'b', arguments: '{}' },
        ],
      },
      toolCalls: 2,
      characters: 6,
    });
  });

  it('of Anthropic events: input from the start, output from the last delta', () => {
    expect(
      from([
        {
          type: 'message_start',
          message: { model: 'c-x', usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 } },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hey' } },
        { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'a', input: {} } },
        { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"q":1}' } },
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 30, input_tokens: null } },
        { type: 'message_stop' },
      ]),
    ).toMatchObject({
      usage: { prompt_tokens: 15, cache_read_tokens: 5, output_tokens: 30 },
      finishReason: 'tool_calls',
      responseModel: 'c-x',
      message: { content: 'hey', tool_calls: [{ id: 't', name: 'a', arguments: '{"q":1}' }] },
    });
  });

  it('of Responses events: the last one has it all', () => {
    const response = { object: 'response', status: 'completed', model: 'o-x', output: [], usage: { input_tokens: 3 } };
    const events = [
      { type: 'response.output_text.delta', delta: 'a' },
      { type: 'response.completed', response },
    ];
    expect(from(events)).toMatchObject({ usage: { prompt_tokens: 3 }, finishReason: 'stop', responseModel: 'o-x' });
    expect(from(events.slice(0, 1))).toMatchObject({ message: { content: 'a' } });
  });

  it('of text, bounded; and of chunks that say nothing', () => {
    const long = 'x'.repeat(600_000);
    const answer = from([long, long, 7, null, {}, { choices: 'x' }, { type: 'ping' }]);
    expect(answer.characters).toBe(1_200_000);
    expect((answer.message as { content: string }).content).toHaveLength(1_000_000);
  });
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, OpenAIChatCompletionsModel, OpenAIProvider, OpenAIResponsesModel, Runner, run } from '@openai/agents';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { endScenes, observed, weather } from './scene.test-support.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let answers: Answer[];
let client: OpenAI;

beforeEach(async () => {
  answers = [];
  server = createServer((request, response) => {
    request.resume();
    (answers.shift() ?? refuse(500))(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 2 });
});
afterEach(() => {
  endScenes();
  server.closeAllConnections();
  server.close();
});

const json =
  (body: object): Answer =>
  (_, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
const refuse =
  (status: number): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' })
      .end('{"error":{"message":"no"}}');
const events =
  (...parts: object[]): Answer =>
  (_, response) => {
    response.setHeader('content-type', 'text/event-stream');
    for (const part of parts) response.write(`data: ${JSON.stringify(part)}\n\n`);
    response.end('data: [DONE]\n\n');
  };

const message = (text: string) => ({
  type: 'message',
  id: 'm',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const responsesUsage = {
  input_tokens: 10,
  output_tokens: 5,
  total_tokens: 15,
  input_tokens_details: { cached_tokens: 6 },
  output_tokens_details: { reasoning_tokens: 2 },
};
const response = (output: object[], more: object = {}) => ({
  id: 'r',
  object: 'response',
  model: 'gpt-2026',
  status: 'completed',
  output,
  usage: responsesUsage,
  ...more,
});
const functionCall = {
  type: 'function_call',
  id: 'fc',
  call_id: 'call_1',
  name: 'weather',
  arguments: '{"city":"Oslo"}',
  status: 'completed',
};
const completion = (content: string, finish_reason = 'stop') => ({
  id: 'c',
  object: 'chat.completion',
  model: 'gpt-2026',
  choices: [{ index: 0, finish_reason, message: { role: 'assistant', content } }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 6 } },
});
const chunk = (delta: object, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-2026',
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
});

const agent = (model: Agent['model']) => new Agent({ name: 'planner', model, tools: [weather()] });

describe('models of OpenAI', () => {
  it('tell their usage, models and reasons, and each attempt of their client', async () => {
    const scene = observed();
    answers = [
      refuse(503),
      refuse(429),
      json(response([functionCall])),
      refuse(500),
      json(response([message('Sunny.')])),
    ];
    expect((await run(agent(new OpenAIResponsesModel(client, 'gpt')), 'x')).finalOutput).toBe('Sunny.');
    expect(scene.payloads('post_api_request')[0]).toMatchObject({
      provider: 'openai',
      response_model: 'gpt-2026',
      usage: { input_tokens: 4, cache_read_tokens: 6, output_tokens: 5, reasoning_tokens: 2 },
    });
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat gpt: tool_calls 10>5 x503 x429',
      '  execute_tool weather: ok',
      '  chat gpt: stop 10>5 x500',
    ]);
  });

  it('fail with the status of the last answer, whether it tried again or not', async () => {
    const scene = observed();
    const model = new OpenAIResponsesModel(client, 'gpt');
    answers = [refuse(400)];
    await expect(run(agent(model), 'x')).rejects.toThrow('400');
    answers = [refuse(503), refuse(503), refuse(503)];
    await expect(run(agent(model), 'x')).rejects.toThrow('503');
    expect(scene.payloads('on_session_end').map(({ turn_exit_reason }) => turn_exit_reason)).toEqual(['400', '503']);
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: failed ERROR',
      '  chat gpt: x400 ERROR',
      'invoke_agent hermes: failed ERROR',
      '  chat gpt: x503 x503 x503 ERROR',
    ]);
  });

  it('stream; an answer that is too long says so', async () => {
    const scene = observed();
    const whole = response([message('Sunny.')], { incomplete_details: { reason: 'max_output_tokens' } });
    answers = [
      refuse(503),
      events(
        { type: 'response.created', response: { ...whole, output: [] } },
        { type: 'response.output_text.delta', delta: 'Sun', item_id: 'm', output_index: 0, content_index: 0 },
        { type: 'response.completed', response: whole },
      ),
    ];
    const streamed = await run(agent(new OpenAIResponsesModel(client, 'gpt')), 'x', { stream: true });
    for await (const _ of streamed);
    expect(streamed.finalOutput).toBe('Sunny.');
    expect(await scene.tree()).toEqual(['invoke_agent hermes: completed', '  chat gpt: length 10>5 streamed x503']);
  });

  it('of chat completions have the name that a provider was asked for', async () => {
    const scene = observed();
    const modelProvider = new OpenAIProvider({ openAIClient: client, useResponses: false });
    const runner = new Runner({ modelProvider });
    answers = [refuse(503), json(completion('Sunny.', 'length'))];
    await runner.run(agent('gpt'), 'x');
    answers = [
      events(
        chunk({ role: 'assistant', content: 'Sun' }),
        chunk({ content: 'ny.' }),
        chunk({}, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        chunk({}, { choices: [], usage: completion('').usage }),
      ),
    ];
    const streamed = await runner.run(agent('gpt'), 'x', { stream: true });
    await streamed.completed;
    answers = [json(completion('Sunny.'))];
    await run(agent(new OpenAIChatCompletionsModel(client, 'gpt')), 'x');
    expect(await scene.tree()).toEqual([
      'invoke_agent hermes: completed',
      '  chat gpt: length 10>5 x503',
      'invoke_agent hermes: completed',
      '  chat gpt: stop 10>5 streamed',
      'invoke_agent hermes: completed',
      '  chat: stop 10>5',
    ]);
  });

  it('whose connection breaks in the middle of a stream fail of that', async () => {
    const scene = observed();
    answers = [
      (_, broken) => {
        broken.setHeader('content-type', 'text/event-stream');
        const delta = {
          type: 'response.output_text.delta',
          delta: 'S',
          item_id: 'm',
          output_index: 0,
          content_index: 0,
        };
        broken.write(`data: ${JSON.stringify(delta)}\n\n`);
        setTimeout(() => broken.destroy(), 20);
      },
    ];
    const streamed = await run(agent(new OpenAIResponsesModel(client, 'gpt')), 'x', { stream: true });
    await expect(streamed.completed).rejects.toThrow();
    expect(await scene.tree()).toEqual(['invoke_agent hermes: failed ERROR', '  chat gpt: x ERROR']);
  });
});

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instrumentLangChain } from '../../../packages/langchain/src/index.js';
import { frameworkAt } from '../frameworks.mjs';
import { WITH_OPENAI } from './versions.js';

const USAGE = {
  prompt_tokens: 10,
  completion_tokens: 5,
  total_tokens: 15,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const ANSWER = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-5-2026',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Sunny.' }, finish_reason: 'stop' }],
  usage: USAGE,
};
const chunk = (delta: object, rest: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-5-2026', choices: [{ index: 0, delta, finish_reason: null }], ...rest })}\n\n`;
const stop = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };

/** What the service answers with, one after the other; the last one again and again. */
let replies: ((response: ServerResponse) => void)[] = [];
let received: { traceparent: unknown }[] = [];
const server = createServer((request, response) => {
  request.resume();
  received.push({ traceparent: request.headers.traceparent });
  request.on('end', () => (replies.length > 1 ? replies.shift() : replies[0])?.(response));
});
const overloaded = (response: ServerResponse) =>
  response
    .writeHead(503, { 'content-type': 'application/json', 'retry-after-ms': '1' })
    .end('{"error":{"message":"overloaded"}}');
const refused = (response: ServerResponse) =>
  response
    .writeHead(400, { 'content-type': 'application/json' })
    .end('{"error":{"message":"no such model","type":"invalid_request_error"}}');
const sunny = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(ANSWER));
const hangsUp = (response: ServerResponse) => response.destroy();
const streams = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk({ role: 'assistant', content: 'Sun' }));
  response.write(chunk({ content: 'ny.' }));
  response.write(chunk({}, stop));
  response.end(`${chunk({}, { choices: [], usage: USAGE })}data: [DONE]\n\n`);
};

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());

// biome-ignore lint/suspicious/noExplicitAny: of any version
async function observed(play: () => Promise<any>) {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, agentName: 'agent' });
  const end = instrumentLangChain({ observer, onWarning: () => {} });
  received = [];
  const outcome = await play().catch((error: unknown) => error);
  end();
  await observer.shutdown();
  return { outcome, tree: spanTree(kept.spans), spans: kept.spans };
}

describe.each(Object.entries(WITH_OPENAI))('ChatOpenAI, the %s', async (name, packages) => {
  const { load } = await frameworkAt(`langchain-openai-${name}`, packages);
  const { ChatOpenAI } = await load('@langchain/openai');
  const model = (options: object = {}) =>
    new ChatOpenAI({
      model: 'gpt-5',
      apiKey: 'none',
      useResponsesApi: false,
      ...options,
      configuration: { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` },
    });

  it('whose service is overloaded once has an attempt that failed', async () => {
    replies = [overloaded, sunny];
    const { outcome, tree, spans } = await observed(() => model().invoke('How is the weather?'));
    expect(outcome.content).toBe('Sunny.');
    expect(received).toHaveLength(2);
    expect(tree).toEqual(['invoke_agent agent: completed', '  chat gpt-5: stop 10>5 x503']);
    expect(spans.find(({ name }) => name.startsWith('chat'))?.attributes).toMatchObject({
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.model': 'gpt-5-2026',
      'gen_ai.usage.cache_read.input_tokens': 4,
      'gen_ai.usage.reasoning.output_tokens': 2,
    });
  });

  it('whose connection breaks once as well', async () => {
    replies = [hangsUp, sunny];
    const { outcome, tree } = await observed(() => model().invoke('x'));
    expect(outcome.content).toBe('Sunny.');
    expect(tree).toEqual(['invoke_agent agent: completed', '  chat gpt-5: stop 10>5 x']);
  });

  it('that is refused fails with what the client says', async () => {
    replies = [refused];
    const { outcome, tree, spans } = await observed(() => model().invoke('x'));
    expect(outcome.constructor.name).toBe('BadRequestError');
    expect(tree).toEqual(['invoke_agent agent: failed ERROR', '  chat gpt-5: x400 ERROR']);
    expect(spans.find(({ name }) => name.startsWith('chat'))?.attributes['error.type']).toBe('400');
  });

  it('whose service stays overloaded fails with its last attempt', async () => {
    replies = [overloaded];
    const { tree, spans } = await observed(() => model({ maxRetries: 1 }).invoke('x'));
    expect(received).toHaveLength(2);
    expect(tree).toEqual(['invoke_agent agent: failed ERROR', '  chat gpt-5: x503 x503 ERROR']);
    const request = spans.find(({ name }) => name.startsWith('chat'));
    expect(request?.events.map(({ name }) => name)).toEqual(Array(2).fill('hermes.api.attempt_failed'));
  });

  it('that streams has its first chunk and its usage', async () => {
    replies = [streams];
    let text = '';
    const { tree } = await observed(async () => {
      for await (const { content } of await model().stream('x')) text += content;
    });
    expect(text).toBe('Sunny.');
    expect(tree).toEqual(['invoke_agent agent: completed', '  chat gpt-5: stop 10>5 streamed']);
  });
});

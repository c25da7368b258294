import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { instrumentAiSdk } from '@hermes-observer/ai-sdk';
import { instrumentOpenAI } from '@hermes-observer/clients';
import { KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { instrumentOpenAIAgents } from '@hermes-observer/openai-agents';
import { createObserver, type Observer } from '@hermes-observer/otel';
import * as agents from '@openai/agents';
import * as openai from 'openai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { aiSdkAgent } from './agents.mjs';

let server: Server;
let answers: number[];
let kept: KeptSpans;
let observer: Observer;
let ends: (() => void)[];
let client: openai.OpenAI;

beforeEach(async () => {
  answers = [];
  server = createServer((request, response) => {
    request.resume();
    const status = answers.shift() ?? 200;
    const body = {
      id: 'r',
      object: 'chat.completion',
      model: 'small',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Sunny.' } }],
      usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
    };
    response.writeHead(status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
    response.end(JSON.stringify(status === 200 ? body : { error: { message: 'busy' } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = new openai.OpenAI({ apiKey: 'none', baseURL });
  kept = new KeptSpans();
  observer = createObserver({ exporters: [kept], env: {} });
  const options = { observer, onWarning: (text: string) => expect.fail(text) };
  ends = [
    instrumentAiSdk(options),
    instrumentOpenAIAgents({ ...options, agents }),
    instrumentOpenAI({ ...options, module: openai }),
  ];
  agents.setTracingDisabled(true);
});
afterEach(() => {
  for (const end of ends) end();
  server.closeAllConnections();
  server.close();
});

async function tree(): Promise<string[]> {
  await observer.shutdown();
  return spanTree(kept.spans);
}

const forecaster = () =>
  new agents.Agent({ name: 'forecaster', model: new agents.OpenAIChatCompletionsModel(client as never, 'small') });

it('the client of an agent tells of the attempts of its requests, and its tokens count once', async () => {
  answers = [503, 200];
  expect((await agents.run(forecaster(), 'How is the weather?')).finalOutput).toBe('Sunny.');
  expect(await tree()).toEqual(['invoke_agent hermes: completed', expect.stringMatching(/^ {2}chat.* 10>5 x503$/)]);
});

it('so too below the tool of another framework', async () => {
  answers = [503, 200];
  const ask = async (question: string) => (await agents.run(forecaster(), question)).finalOutput ?? '';
  expect(await aiSdkAgent('planner', { ask })('How is the weather?')).toBe('planner is done.');
  const chat = (indent: number) => expect.stringMatching(new RegExp(`^ {${indent}}chat model.* 10>5$`));
  expect(await tree()).toEqual([
    'invoke_agent hermes: completed',
    chat(2),
    '  execute_tool ask: ok',
    '    invoke_agent forecaster: completed',
    expect.stringMatching(/^ {6}chat.* 10>5 x503$/),
    chat(2),
  ]);
});

it('a client that a tool calls itself is a child agent of the call with its request, once', async () => {
  const ask = async (content: string) => {
    const answer = await client.chat.completions.create({ model: 'small', messages: [{ role: 'user', content }] });
    return answer.choices[0]?.message.content ?? '';
  };
  await aiSdkAgent('planner', { ask })('How is the weather?');
  expect(await tree()).toEqual([
    'invoke_agent hermes: completed',
    '  chat model: tool_calls 10>5',
    '  execute_tool ask: ok',
    '    invoke_agent small: completed',
    '      chat small: stop 10>5',
    '  chat model: stop 10>5',
  ]);
});

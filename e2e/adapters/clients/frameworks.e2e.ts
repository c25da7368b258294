// Frameworks that call the client underneath, with both observed: a request is one, with the attempts of the client.
import { KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { instrumentLangChain } from '@hermes-observer/langchain';
import { instrumentOpenAIAgents } from '@hermes-observer/openai-agents';
import { createObserver, type Observer } from '@hermes-observer/otel';
import * as agents from '@openai/agents';
import * as openai from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chatAnswer, chatDeltas, chatEnd } from '../../../packages/clients/src/answers.test-support.js';
import { instrumentOpenAI } from '../../../packages/clients/src/index.js';
import { json, LoopbackServer, sse, unavailable } from '../../../packages/clients/src/loopback-server.test-support.js';
import { frameworkAt } from '../frameworks.mjs';

const server = new LoopbackServer();
const chain = await frameworkAt('clients-langchain', { '@langchain/openai': '1.6.0', '@langchain/core': '1.4.0' });
const kept: KeptSpans[] = [];
const ends: (() => void)[] = [];
let observer: Observer;

beforeAll(() => server.listen());
afterAll(() => server.close());
beforeEach(async () => {
  kept[0] = new KeptSpans();
  observer = createObserver({ exporters: [kept[0] as never], agentName: 'agent', env: {}, onWarning: () => {} });
  const options = { observer, onWarning: () => {} };
  ends.push(
    instrumentOpenAI({ module: openai, ...options }),
    instrumentOpenAI({ module: await chain.load('openai'), ...options }),
    instrumentOpenAIAgents({ agents, ...options }),
    instrumentLangChain(options),
  );
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function tree(): Promise<string[]> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  await observer.shutdown();
  return spanTree(kept[0]?.spans ?? []);
}

const settings = () => ({ apiKey: 'sk', baseURL: `${server.url}/v1` });
const twice = () => server.answers(unavailable(503), unavailable(429), json(chatAnswer('m', 'Sunny.')));
const streams = () => server.answers(unavailable(503), sse([...chatDeltas('m', 3), ...chatEnd('m')]));

describe('OpenAI Agents', () => {
  const run = (stream: boolean) => {
    const openAIClient = new openai.OpenAI(settings()) as never;
    const modelProvider = new agents.OpenAIProvider({ openAIClient, useResponses: false });
    const runner = new agents.Runner({ modelProvider });
    const agent = new agents.Agent({ name: 'agent', model: 'm' });
    return stream ? runner.run(agent, 'Hi', { stream: true }) : runner.run(agent, 'Hi');
  };

  it('has the attempts of the client in its request', async () => {
    twice();
    await run(false);
    expect(await tree()).toEqual(['invoke_agent agent: completed', '  chat m: stop 10>5 x503 x429']);
  });

  it('has them when it streams', async () => {
    streams();
    const result = (await run(true)) as Awaited<ReturnType<typeof agents.run>> & AsyncIterable<unknown>;
    for await (const _ of result);
    expect(await tree()).toEqual(['invoke_agent agent: completed', '  chat m: stop 10>5 streamed x503']);
  });
});

describe('LangChain', () => {
  const model = async (more: object = {}) => {
    const { ChatOpenAI } = await chain.load('@langchain/openai');
    const { apiKey, baseURL } = settings();
    return new ChatOpenAI({ model: 'm', apiKey, configuration: { baseURL }, ...more });
  };

  it('has the attempts of the client in its request', async () => {
    server.answers(unavailable(503), json(chatAnswer('m', 'Sunny.')));
    await (await model()).invoke('Hi');
    expect(await tree()).toEqual(['invoke_agent agent: completed', '  chat m: stop 10>5 x503']);
  });

  it('has them when it streams', async () => {
    streams();
    for await (const _ of await (await model()).stream('Hi'));
    expect(await tree()).toEqual(['invoke_agent agent: completed', '  chat m: stop 10>5 streamed x503']);
  });
});

import { type Heard, heardBy, KeptSpans } from '@hermes-observer/core/testing';
import { createObserver, type Observer, type ObserverOptions } from '@hermes-observer/otel';
import { AIMessage, AIMessageChunk, HumanMessage, type ToolCall } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { tool } from '@langchain/core/tools';
import { FakeStreamingChatModel } from '@langchain/core/utils/testing';
import { createAgent } from 'langchain';
import { afterEach, expect } from 'vitest';
import { z } from 'zod';
import { instrumentLangChain } from './instrument.js';
import type { LangChainOptions } from './options.js';

const usage_metadata = {
  input_tokens: 10,
  output_tokens: 5,
  total_tokens: 15,
  input_token_details: { cache_read: 6, cache_creation: 1 },
  output_token_details: { reasoning: 2 },
};
export const call = (id: string, name = 'weather', args: object = { city: 'Oslo' }): ToolCall =>
  ({ id, name, args, type: 'tool_call' }) as ToolCall;
export const asks = (...tool_calls: ToolCall[]) =>
  new AIMessage({ content: '', tool_calls, usage_metadata, response_metadata: { stop_reason: 'tool_use' } } as never);
export const says = (content = 'Sunny.') =>
  new AIMessage({
    content,
    usage_metadata,
    response_metadata: { finish_reason: 'stop', model_name: 'm-2026' },
  } as never);
export const model = (...steps: (AIMessage | Error)[]) => {
  const fake = fakeModel();
  for (const step of steps) fake.respond(step);
  const getLsParams = () => ({ ls_provider: 'Mock', ls_model_name: 'm', ls_max_tokens: 99 });
  return Object.assign(fake, { getLsParams, bindTools: () => fake });
};
export const streaming = (sleep = 0) => {
  const chunks = ['a', 'b', 'c'].map((content) => new AIMessageChunk({ content }));
  const fake = new FakeStreamingChatModel({ chunks, sleep });
  const getLsParams = () => ({ ls_provider: 'mock', ls_model_name: 'm' });
  return Object.assign(fake, { getLsParams, bindTools: () => fake });
};
export const weather = (run: () => unknown = () => '21') =>
  tool(async () => (await run()) as string, {
    name: 'weather',
    description: 'w',
    schema: z.object({ city: z.string() }),
  });
export const input = () => ({ messages: [new HumanMessage('How is the weather?')] });
export const agent = (options: object = {}, steps = [asks(call('call_1')), says()], run?: () => unknown) =>
  createAgent({ model: model(...steps), tools: [weather(run)], ...options } as never);
export const wait = (millis = 20) => new Promise((resolve) => setTimeout(resolve, millis));

export const TREE = [
  'invoke_agent hermes: completed',
  '  chat m: tool_calls 10>5',
  '  execute_tool weather: ok',
  '  chat m: stop 10>5',
];
export const ONE = ['invoke_agent hermes: completed', '  chat m: stop 10>5'];

interface Scene extends Heard {
  readonly observer: Observer;
  readonly warnings: string[];
  readonly end: () => void;
}

export const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

export function observed(
  options: LangChainOptions = {},
  observerOptions: ObserverOptions = {},
  instrument: (options: LangChainOptions) => () => void = instrumentLangChain,
): Scene {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {}, ...observerOptions });
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const heard = heardBy(observer, kept);
  const end = instrument({ observer, onWarning, ...options });
  ends.push(end);
  return { ...heard, observer, warnings, end };
}

export const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

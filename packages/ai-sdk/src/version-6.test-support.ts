import { heardBy, KeptSpans } from '@hermes-observer/core/testing';
import { createObserver, type ObserverOptions } from '@hermes-observer/otel';
import { simulateReadableStream, stepCountIs, tool, wrapLanguageModel } from 'ai-v6';
import { MockLanguageModelV3 } from 'ai-v6/test';
import { afterEach, expect } from 'vitest';
import { z } from 'zod';
import { instrumentAiSdk } from './instrument.js';
import { observerMiddleware } from './middleware.js';
import type { AiSdkOptions } from './options.js';

export const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
export const stop = { unified: 'stop' as const, raw: 'stop' };
export const call = { type: 'tool-call' as const, toolCallId: 'call_1', toolName: 'weather', input: '{"city":"Oslo"}' };
export const answers = [
  { content: [call], usage, warnings: [], finishReason: { unified: 'tool-calls' as const, raw: 'x' } },
  { content: [{ type: 'text' as const, text: 'Sunny.' }], usage, warnings: [], finishReason: stop },
];
type Model = ConstructorParameters<typeof MockLanguageModelV3>[0];
export const model = (given: Model = {}) => new MockLanguageModelV3({ provider: 'mock.chat', modelId: 'm', ...given });
export const wrapped = (given: Model = {}) =>
  wrapLanguageModel({ model: model(given), middleware: observerMiddleware() });
export const scripted = (script: readonly unknown[]): Model => {
  let step = 0;
  return {
    doGenerate: async () => {
      const next = script[Math.min(step++, script.length - 1)];
      if (next instanceof Error) throw next;
      return next as (typeof answers)[0];
    },
  };
};
export const agent = (execute: () => unknown = () => ({ temperature: 21 }), made = model(scripted(answers))) => ({
  model: made,
  tools: {
    weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: async () => {
        await null;
        return (await execute()) as object;
      },
    }),
  },
  stopWhen: stepCountIs(3),
  prompt: 'How is the weather?',
});
export const answering = () => model(scripted([answers[1]]));
export const streaming = (parts: readonly object[], wraps = false) => {
  const chunks = [{ type: 'stream-start', warnings: [] }, { type: 'text-start', id: 't' }, ...parts];
  const doStream = async () => ({ stream: simulateReadableStream({ chunkDelayInMs: 1, chunks: chunks as never[] }) });
  return wraps ? wrapped({ doStream }) : model({ doStream });
};
export const deltas = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'text-delta', id: 't', delta: 'w' }));

export const TREE = [
  'invoke_agent hermes: completed',
  '  chat m: tool_calls 10>5',
  '  execute_tool weather: ok',
  '  chat m: stop 10>5',
];
export const sleep = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis));

export const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

export function observed(options: AiSdkOptions = {}, observerOptions: ObserverOptions = {}) {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept as never], env: {}, onWarning: () => {}, ...observerOptions });
  const warnings: string[] = [];
  const onWarning = (text: string) => void warnings.push(text);
  const heard = heardBy(observer, kept);
  const end = instrumentAiSdk({ observer, onWarning, ...options });
  ends.push(end);
  return { ...heard, observer, warnings, end };
}

export const only = <T>(all: readonly T[]): T => {
  expect(all).toHaveLength(1);
  return all[0] as T;
};

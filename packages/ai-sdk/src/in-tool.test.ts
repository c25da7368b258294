import { KeptSpans, spanTree } from '@hermes-observer/core/testing';
import { createObserver } from '@hermes-observer/otel';
import { generateText, isStepCount, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { instrumentAiSdk } from './instrument.js';

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};
const answer = {
  content: [{ type: 'text' as const, text: 'Sunny.' }],
  usage,
  warnings: [],
  finishReason: { unified: 'stop' as const, raw: 'stop' },
};
const call = {
  ...answer,
  content: [{ type: 'tool-call' as const, toolCallId: 'call_1', toolName: 'weather', input: '{}' }],
  finishReason: { unified: 'tool-calls' as const, raw: 'x' },
};
const model = (...answers: (typeof answer | typeof call)[]) => {
  let step = 0;
  const doGenerate = async () => answers[step++] as typeof answer;
  return new MockLanguageModelV4({ provider: 'mock', modelId: 'm', doGenerate });
};

it('a run inside a tool is a child with the name of its model, if it has none; the call lasts as its span does', async () => {
  const kept = new KeptSpans();
  const observer = createObserver({ exporters: [kept], env: {}, onWarning: () => {} });
  const durations: unknown[] = [];
  observer.hub.on('post_tool_call', ({ duration_ms }) => durations.push(duration_ms));
  const end = instrumentAiSdk({ observer });
  const execute = async () => (await generateText({ model: model(answer), prompt: 'x' })).text;
  await generateText({
    model: model(call, answer),
    tools: { weather: tool({ inputSchema: z.object({}), execute }) },
    stopWhen: isStepCount(3),
    prompt: 'x',
    onToolExecutionStart: () => new Promise<void>((resolve) => setTimeout(resolve, 30)),
  });
  end();
  await observer.shutdown();
  expect(durations).toEqual([expect.toSatisfy((millis: number) => millis > 25)]);
  expect(spanTree(kept.spans)).toEqual([
    'invoke_agent hermes: completed',
    '  chat m: tool_calls 10>5',
    '  execute_tool weather: ok',
    '    invoke_agent m: completed',
    '      chat m: stop 10>5',
    '  chat m: stop 10>5',
  ]);
});

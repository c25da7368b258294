import { instrumentAiSdk, observerMiddleware } from '@hermes-observer/ai-sdk';
import { createObserver } from '@hermes-observer/otel';
import { generateText, stepCountIs, ToolLoopAgent, tool, wrapLanguageModel } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';
import type { Same } from './same.js';

const end: () => void = instrumentAiSdk({ observer: createObserver({ agentName: 'planner' }) });

const plain = new MockLanguageModelV3();
const model = wrapLanguageModel({ model: plain, middleware: observerMiddleware() });
const both = wrapLanguageModel({ model: plain, middleware: [observerMiddleware(), { specificationVersion: 'v3' }] });
const isSame: Same<typeof model, typeof both> = true;
const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, temperature: 21 }),
});
const agent = new ToolLoopAgent({ model, tools: { weather }, stopWhen: stepCountIs(3) });
const { toolResults } = await agent.generate({ prompt: 'How is the weather?' });
const [result] = toolResults;
const temperature: number | undefined = result?.dynamic === true ? undefined : result?.output.temperature;
// @ts-expect-error The SDK's own types are as strict as before.
generateText({ prompt: 'without a model' });
console.log(end, isSame, temperature);

import { type AiSdkOptions, instrumentAiSdk, withSession } from '@hermes-observer/ai-sdk';
import { createObserver } from '@hermes-observer/otel';
import { generateText, isStepCount, ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';
import type { Same } from './same.js';

const options: AiSdkOptions = { observer: createObserver({ agentName: 'planner' }), frameworkSpans: 'yield' };
const end: () => void = instrumentAiSdk(options);

const weather = tool({
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, temperature: 21 }),
});
const agent = new ToolLoopAgent({ model: new MockLanguageModelV4(), tools: { weather }, stopWhen: isStepCount(3) });
const plain = agent.generate({ prompt: 'How is the weather?' });
const observed = withSession({ sessionId: 's-1' }, () => agent.generate({ prompt: 'How is the weather?' }));
const isSame: Same<typeof plain, typeof observed> = true;
const { text, toolResults } = await observed;
const first: string = text;
const [result] = toolResults;
const temperature: number | undefined = result?.dynamic === true ? undefined : result?.output.temperature;
// @ts-expect-error The SDK's own types are as strict as before.
generateText({ prompt: 'without a model' });
// @ts-expect-error There is no such option.
instrumentAiSdk({ observers: [] });
console.log(end, isSame, first, temperature);

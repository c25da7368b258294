// Three frameworks in one process: an agent of the AI SDK that asks one of the OpenAI Agents SDK and one of LangChain, at once. All
// of it is one trace. The models answer from a script. Prints the spans.
//
// node examples/mixed-agents.mjs
import { instrumentAiSdk } from '@hermes-observer/ai-sdk';
import { instrumentLangChain } from '@hermes-observer/langchain';
import { instrumentOpenAIAgents } from '@hermes-observer/openai-agents';
import { createObserver } from '@hermes-observer/otel';
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import * as agents from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { isStepCount, ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createAgent } from 'langchain';
import { z } from 'zod';

const spans = [];
const exporter = { export: (ended, done) => done({ code: spans.push(...ended) && 0 }), shutdown: async () => {} };
const observer = createObserver({ agentName: 'planner', exporters: [exporter] });
// `node --import @hermes-observer/auto` does these three by itself.
instrumentAiSdk({ observer });
instrumentOpenAIAgents({ observer, agents });
instrumentLangChain({ observer });
// The SDK's own exporter wants a key.
agents.setTracingDisabled(true);

const topic = z.object({ topic: z.string() });

const weather = agents.tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: 21 °C`,
});
const forecaster = new agents.Agent({
  name: 'forecaster',
  tools: [weather],
  model: new ScriptedModel([
    [functionCall('weather', { city: 'Rome' }, { callId: 'call_weather' })],
    [assistantMessage('It stays dry.')],
  ]),
});

const critic = createAgent({
  name: 'critic',
  tools: [],
  model: fakeModel().respond(new AIMessage('Trattoria da Enzo.')),
});

const usage = { inputTokens: { total: 120, noCache: 120 }, outputTokens: { total: 12, text: 12 } };
const call = (toolName, input) => ({
  type: 'tool-call',
  toolCallId: `call_${toolName}`,
  toolName,
  input: JSON.stringify(input),
});
const answers = [
  [call('forecast', { topic: 'Rome tonight' }), call('critic', { topic: 'dinner' })],
  [{ type: 'text', text: 'Da Enzo, outside.' }],
];
const planner = new ToolLoopAgent({
  model: new MockLanguageModelV4({
    modelId: 'large-model',
    doGenerate: async () => {
      const content = answers.shift();
      const unified = content[0].type === 'text' ? 'stop' : 'tool-calls';
      return { content, usage, warnings: [], finishReason: { unified, raw: undefined } };
    },
  }),
  tools: {
    forecast: tool({
      inputSchema: topic,
      execute: async (input) => (await agents.run(forecaster, input.topic)).finalOutput,
    }),
    critic: tool({
      inputSchema: topic,
      execute: async (input) => (await critic.invoke({ messages: input.topic })).messages.at(-1).content,
    }),
  },
  stopWhen: isStepCount(3),
});

console.log((await planner.generate({ prompt: 'Dinner in Rome?' })).text);

await observer.shutdown();
const below = (parent, depth) => {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent).sort(byStart)) {
    console.log('  '.repeat(depth) + span.name);
    below(span.spanContext().spanId, depth + 1);
  }
};
const byStart = (a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];
below(undefined, 0);

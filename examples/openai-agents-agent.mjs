// Agents of the OpenAI Agents SDK: one asks another as a tool, and hands over to a third. Their models answer from a script. One
// line is for the observer. Prints its spans.
//
// node examples/openai-agents-agent.mjs
import { instrumentOpenAIAgents } from '@hermes-observer/openai-agents';
import { createObserver } from '@hermes-observer/otel';
import * as agents from '@openai/agents';
import { assistantMessage, functionCall, modelError, modelResponse, ScriptedModel } from '@openai/agents/testing';
import { z } from 'zod';

const spans = [];
const exporter = { export: (ended, done) => done({ code: spans.push(...ended) && 0 }), shutdown: async () => {} };
const observer = createObserver({ agentName: 'planner', exporters: [exporter] });
instrumentOpenAIAgents({ agents, observer });

const { Agent, Runner, tool } = agents;
const usage = new agents.Usage({ requests: 1, inputTokens: 120, outputTokens: 12, totalTokens: 132 });
const says = (...output) => modelResponse({ output, usage });
const calls = (name, args) => functionCall(name, args, { callId: `call_${name}` });
const models = {
  'large-model': new ScriptedModel([
    says(calls('weather', { city: 'Rome' }), calls('research', { input: 'dinner' })),
    says(calls('transfer_to_booking', {})),
  ]),
  'small-model': new ScriptedModel([
    modelError(Object.assign(new Error('overloaded'), { status: 503 })),
    says(assistantMessage('Trattoria da Enzo.')),
  ]),
  'other-model': new ScriptedModel([says(assistantMessage('A table at Da Enzo, outside.'))]),
};

const researcher = new Agent({
  name: 'researcher',
  model: 'small-model',
  modelSettings: { retry: { maxRetries: 1, policy: () => true, backoff: { initialDelayMs: 1 } } },
});
const booking = new Agent({ name: 'booking', model: 'other-model' });
const planner = new Agent({
  name: 'planner',
  model: 'large-model',
  handoffs: [booking],
  tools: [
    tool({
      name: 'weather',
      description: 'The weather of a city',
      parameters: z.object({ city: z.string() }),
      execute: async () => ({ temperature: 21 }),
    }),
    researcher.asTool({ toolName: 'research', toolDescription: 'Finds places' }),
  ],
});

const runner = new Runner({ modelProvider: { getModel: (name) => models[name] }, tracingDisabled: true });
const { finalOutput } = await runner.run(planner, 'Dinner in Rome?');
console.log(finalOutput);

await observer.shutdown();
const below = (parent, depth) => {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent).sort(byStart)) {
    console.log('  '.repeat(depth) + [span.name, ...span.events.map(({ name }) => `! ${name}`)].join('  '));
    below(span.spanContext().spanId, depth + 1);
  }
};
const byStart = (a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];
below(undefined, 0);

// An agent of the AI SDK with a researcher that it delegates to, on a model that answers from a script. Nothing in the agent knows
// of the observer. Prints its spans.
//
// node examples/ai-sdk-agent.mjs
import { instrumentAiSdk } from '@hermes-observer/ai-sdk';
import { createObserver } from '@hermes-observer/otel';
import { isStepCount, ToolLoopAgent, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { z } from 'zod';

const spans = [];
const exporter = { export: (ended, done) => done({ code: spans.push(...ended) && 0 }), shutdown: async () => {} };
const observer = createObserver({ agentName: 'planner', exporters: [exporter] });
instrumentAiSdk({ observer });

const usage = { inputTokens: { total: 120, noCache: 120 }, outputTokens: { total: 12, text: 12 } };
/** A model that gives these answers, one after the other: a text, or calls as `{ name: arguments }`. */
const scripted = (modelId, answers) =>
  new MockLanguageModelV4({
    modelId,
    doGenerate: async () => {
      const answer = answers.shift();
      const isText = typeof answer === 'string';
      const calls = () =>
        Object.entries(answer).map(([toolName, args]) => ({
          type: 'tool-call',
          toolCallId: `call_${toolName}`,
          toolName,
          input: JSON.stringify(args),
        }));
      return {
        content: isText ? [{ type: 'text', text: answer }] : calls(),
        finishReason: { unified: isText ? 'stop' : 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      };
    },
  });

const researcher = new ToolLoopAgent({
  model: scripted('small-model', ['Trattoria da Enzo.']),
  telemetry: { functionId: 'researcher' },
});
const planner = new ToolLoopAgent({
  model: scripted('large-model', [{ weather: { city: 'Rome' }, research: { topic: 'dinner' } }, 'Da Enzo, outside.']),
  tools: {
    weather: tool({ inputSchema: z.object({ city: z.string() }), execute: () => ({ temperature: 21 }) }),
    research: tool({
      inputSchema: z.object({ topic: z.string() }),
      execute: async ({ topic }) => (await researcher.generate({ prompt: topic })).text,
    }),
  },
  stopWhen: isStepCount(5),
});

const { text } = await planner.generate({ prompt: 'Dinner in Rome?' });
console.log(text);

await observer.shutdown();
const below = (parent, depth) => {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent).sort(byStart)) {
    console.log('  '.repeat(depth) + span.name);
    below(span.spanContext().spanId, depth + 1);
  }
};
const byStart = (a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];
below(undefined, 0);

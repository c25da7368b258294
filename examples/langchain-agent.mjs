// An agent of LangChain with a researcher that it delegates to, on models that answer from a script. Nothing in the agent knows of the
// observer. Prints its spans.
//
// node examples/langchain-agent.mjs
import { instrumentLangChain } from '@hermes-observer/langchain';
import { createObserver } from '@hermes-observer/otel';
import { AIMessage } from '@langchain/core/messages';
import { fakeModel } from '@langchain/core/testing';
import { createAgent, tool } from 'langchain';
import { z } from 'zod';

const spans = [];
const exporter = { export: (ended, done) => done({ code: spans.push(...ended) && 0 }), shutdown: async () => {} };
const observer = createObserver({ agentName: 'planner', exporters: [exporter] });
instrumentLangChain({ observer });

/** A model that gives these answers, one after the other: a text, or calls as `{ name: arguments }`. */
const scripted = (name, answers) => {
  const usage_metadata = { input_tokens: 120, output_tokens: 12, total_tokens: 132 };
  const calls = (answer) =>
    Object.entries(answer).map(([tool, args]) => ({ id: `call_${tool}`, name: tool, args, type: 'tool_call' }));
  const model = fakeModel();
  for (const answer of answers) {
    const parts = typeof answer === 'string' ? { content: answer } : { content: '', tool_calls: calls(answer) };
    model.respond(new AIMessage({ ...parts, usage_metadata }));
  }
  return Object.assign(model, { getLsParams: () => ({ ls_model_name: name }), bindTools: () => model });
};

const researcher = createAgent({
  name: 'researcher',
  model: scripted('small-model', ['Trattoria da Enzo.']),
  tools: [],
});
const planner = createAgent({
  model: scripted('large-model', [{ weather: { city: 'Rome' }, research: { topic: 'dinner' } }, 'Da Enzo, outside.']),
  tools: [
    tool(() => '21 °C', { name: 'weather', description: 'The weather.', schema: z.object({ city: z.string() }) }),
    tool(
      async ({ topic }) => {
        const { messages } = await researcher.invoke({ messages: [{ role: 'user', content: topic }] });
        return messages.at(-1).content;
      },
      { name: 'research', description: 'Finds out.', schema: z.object({ topic: z.string() }) },
    ),
  ],
});

const { messages } = await planner.invoke({ messages: [{ role: 'user', content: 'Dinner in Rome?' }] });
console.log(messages.at(-1).content);

await observer.shutdown();
const below = (parent, depth) => {
  for (const span of spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent).sort(byStart)) {
    console.log('  '.repeat(depth) + span.name);
    below(span.spanContext().spanId, depth + 1);
  }
};
const byStart = (a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];
below(undefined, 0);

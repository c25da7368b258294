// An agent of the Claude Agent SDK with a researcher, observed. Here `query` does what was recorded of such an agent, so that nothing
// is installed and nothing is asked; with the SDK it is the one below that is commented out. Prints its spans.
//
// node examples/claude-agent.mjs
import { readFileSync } from 'node:fs';
import { observedQuery } from '@hermes-observer/claude';
import { createObserver } from '@hermes-observer/otel';

// import * as sdk from '@anthropic-ai/claude-agent-sdk';
const sdk = { query: recorded('conformance/claude/agent-sdk-0.3.332/nested-agent.ndjson') };

const spans = [];
const exporter = { export: (ended, done) => done({ code: spans.push(...ended) && 0 }), shutdown: async () => {} };
const observer = createObserver({ agentName: 'planner', exporters: [exporter] });

const query = observedQuery(sdk.query, { observer });

const messages = query({
  prompt: 'How is the weather?',
  options: {
    model: 'test-model',
    agents: { researcher: { description: 'digs', prompt: 'You dig.', model: 'child-model' } },
    allowedTools: ['Agent'],
  },
});
for await (const message of messages) if (message.type === 'result') console.log(message.result);

await observer.shutdown();
const print = (parent, indent) => {
  const below = spans.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent);
  for (const span of below.sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])) {
    console.log(indent + span.name);
    print(span.spanContext().spanId, `${indent}  `);
  }
};
print(undefined, '');

/** A `query` that calls the hooks of its options and gives messages, as a recording has them. */
function recorded(path) {
  const lines = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return async function* ({ options }) {
    for (const { hook, id, message } of lines.map((line) => JSON.parse(line))) {
      for (const { hooks } of (hook && options.hooks?.[hook.hook_event_name]) ?? [])
        for (const callback of hooks) await callback(hook, id, { signal: new AbortController().signal });
      if (message !== undefined) yield message;
    }
  };
}

import * as sdk from '@anthropic-ai/claude-agent-sdk';
import { type ClaudeOptions, instrumentClaude, observedQuery, withObserver } from '@hermes-observer/claude';
import { createObserver } from '@hermes-observer/otel';
import type { Same } from './same.js';

const own: ClaudeOptions = { observer: createObserver({ agentName: 'planner' }) };
const query = observedQuery(sdk.query, own);
const isSameQuery: Same<typeof query, typeof sdk.query> = true;
const observed = instrumentClaude(sdk, own);
const isSameModule: Same<typeof observed, typeof sdk> = true;
const options = withObserver({ model: 'large', hooks: {} } satisfies sdk.Options, own);
const isModel: Same<(typeof options)['model'], string> = true;
for await (const message of query({ prompt: 'How is the weather?', options })) {
  if (message.type === 'result') {
    const cost: number = message.total_cost_usd;
    console.log(cost);
  }
}
// @ts-expect-error The SDK's own types are as strict as before.
query({ options });
console.log(isSameQuery, isSameModule, isModel);

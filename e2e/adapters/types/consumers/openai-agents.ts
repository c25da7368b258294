import { instrumentOpenAIAgents, type OpenAIAgentsOptions, withSession } from '@hermes-observer/openai-agents';
import { createObserver } from '@hermes-observer/otel';
import * as agents from '@openai/agents';
import { Agent, run, tool } from '@openai/agents';
import { z } from 'zod';
import type { Same } from './same.js';

const options: OpenAIAgentsOptions = { agents, observer: createObserver({ agentName: 'planner' }) };
const end: () => void = instrumentOpenAIAgents(options);

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => `${city}: 21 °C`,
});
const agent = new Agent({ name: 'planner', tools: [weather], outputType: z.object({ degrees: z.number() }) });
const plain = run(agent, 'How is the weather?');
const observed = withSession({ sessionId: 's-1' }, () => run(agent, 'How is the weather?'));
const isSame: Same<typeof plain, typeof observed> = true;
const degrees: number | undefined = (await observed).finalOutput?.degrees;
// @ts-expect-error The SDK's own types are as strict as before.
run('no agent', 'How is the weather?');
// @ts-expect-error There is no Runner in it.
instrumentOpenAIAgents({ agents: {} });
console.log(end, isSame, degrees);

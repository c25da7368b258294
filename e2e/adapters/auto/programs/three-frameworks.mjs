// An agent of the AI SDK whose tool runs one of the OpenAI Agents SDK, whose tool runs one of LangChain.
import { aiSdkAgent, langChainAgent, openAiAgent } from '../../mixed/agents.mjs';

const run = aiSdkAgent('planner', { ask: openAiAgent('researcher', { ask: langChainAgent('critic') }) });
console.log(await run('Hello?'));

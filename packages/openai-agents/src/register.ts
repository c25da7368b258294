// For `node --import @hermes-observer/openai-agents/register app.js`: observes the OpenAI Agents SDK without a line in the
// program.
import { instrumentOpenAIAgents } from './index.js';

/** Ends it. */
export const end: () => void = instrumentOpenAIAgents();

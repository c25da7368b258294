// For `node --import @hermes-observer/openai-agents/register app.js`: observes the OpenAI Agents SDK without a line in the
// program.
import { tellUntested } from '@hermes-observer/adapter/versions';
import { instrumentOpenAIAgents } from './index.js';

tellUntested(import.meta.url);

/** Ends it. */
export const end: () => void = instrumentOpenAIAgents();

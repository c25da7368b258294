import { aiSdk } from './frameworks/ai-sdk.mjs';
import { anthropic } from './frameworks/anthropic.mjs';
import { langchain } from './frameworks/langchain.mjs';
import { openai } from './frameworks/openai.mjs';
import { openaiAgents } from './frameworks/openai-agents.mjs';

/** The frameworks whose adapters are measured. */
export const FRAMEWORKS = [aiSdk, openaiAgents, langchain, openai, anthropic];

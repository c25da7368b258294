// All adapters, where no framework is installed: what they publish needs the types of none.
import '@hermes-observer/auto';
import { instrumentAiSdk } from '@hermes-observer/ai-sdk';
import { instrumentClaude } from '@hermes-observer/claude';
import { instrumentOpenAI } from '@hermes-observer/clients';
import { instrumentLangChain } from '@hermes-observer/langchain';
import { instrumentOpenAIAgents } from '@hermes-observer/openai-agents';

console.log(instrumentAiSdk, instrumentClaude, instrumentOpenAI, instrumentLangChain, instrumentOpenAIAgents);

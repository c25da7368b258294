// For `node --import @hermes-observer/langchain/register app.js`: observes LangChain without a line in the program.
import { tellUntested } from '@hermes-observer/adapter/versions';
import { instrumentLangChain } from './index.js';

tellUntested(import.meta.url);

/** Ends it. */
export const end: () => void = instrumentLangChain();

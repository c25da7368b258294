// For `node --import @hermes-observer/langchain/register app.js`: observes LangChain without a line in the program.
import { instrumentLangChain } from './index.js';

/** Ends it. */
export const end: () => void = instrumentLangChain();

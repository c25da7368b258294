// For `node --import @hermes-observer/ai-sdk/register app.js`: observes the AI SDK without a line in the program.
import { instrumentAiSdk } from './index.js';

/** Ends it. */
export const end: () => void = instrumentAiSdk();

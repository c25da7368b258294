// For `node --import @hermes-observer/ai-sdk/register app.js`: observes the AI SDK without a line in the program.
import { tellUntested } from '@hermes-observer/adapter/versions';
import { instrumentAiSdk } from './index.js';

tellUntested(import.meta.url);

/** Ends it. */
export const end: () => void = instrumentAiSdk();

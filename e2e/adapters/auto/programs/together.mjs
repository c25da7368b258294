// Imports our own packages at the same moment as the framework: what is being imported cannot be required.
const [{ withSession }, { run }] = await Promise.all([import('@hermes-observer/ai-sdk'), import('./late.mjs')]);
// Modules that are loaded later see it.
await new Promise((resolve) => setTimeout(resolve, 200));
await withSession({ sessionId: 's-1' }, run);

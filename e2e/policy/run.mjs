// Policy, end to end. Each part is a folder here with a `run.mjs` of its own, and can be run alone.
//
// npm run e2e:policy [-- --full] [-- kill deciders …]
import { runParts } from '../run-parts.mjs';

await runParts({
  kill: async (flags) => (await import('./kill/run.mjs')).runKill(flags),
  deciders: async (flags) => (await import('./deciders/run.mjs')).runDeciders(flags),
  channels: async (flags) => (await import('./channels/run.mjs')).runChannels(flags),
  hermes: async (flags) => (await import('./hermes/run.mjs')).runHermes(flags),
  pitfalls: async (flags) => (await import('./pitfalls/run.mjs')).runPitfalls(flags),
  claude: async (flags) => (await import('./claude/run.mjs')).runClaude(flags),
});

// Other ends than an OTLP backend, each by its own rules. Each part is a folder here with a `run.mjs` of its own, and can be
// run alone.
//
// npm run e2e:exporters [-- --full] [-- relay langfuse …]
import { runParts } from '../run-parts.mjs';

await runParts({
  relay: async (flags) => (await import('./relay/run.mjs')).run(flags),
  openinference: async (flags) => (await import('./openinference/run.mjs')).run(flags),
  langfuse: async (flags) => (await import('./langfuse/run.mjs')).run(flags),
  metrics: async (flags) => (await import('./metrics/run.mjs')).run(flags),
  logs: async (flags) => (await import('./logs/run.mjs')).run(flags),
  cost: async (flags) => (await import('./cost/run.mjs')).run(flags),
});

// Other ends than an OTLP backend, each by its own rules. Each part is a folder here with a `run.mjs` of its own, and can be run alone.
//
// npm run e2e:exporters [-- --full] [-- relay langfuse …]
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { full: { type: 'boolean', default: false } },
  allowPositionals: true,
});

/** Each gives `{ passed, failed }`. */
const PARTS = {
  relay: async () => (await import('./relay/run.mjs')).run(values),
  openinference: async () => (await import('./openinference/run.mjs')).run(values),
  langfuse: async () => (await import('./langfuse/run.mjs')).run(values),
  metrics: async () => (await import('./metrics/run.mjs')).run(values),
  logs: async () => (await import('./logs/run.mjs')).run(values),
  cost: async () => (await import('./cost/run.mjs')).run(values),
};

const unknown = positionals.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}
let passed = 0;
let failed = 0;
for (const [name, run] of Object.entries(PARTS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const began = performance.now();
  console.log(`== ${name}`);
  try {
    const part = await run();
    passed += part.passed;
    failed += part.failed;
  } catch (error) {
    console.log(`FAIL ${name}: ${error.stack}`);
    failed++;
  }
  console.log(`   ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);

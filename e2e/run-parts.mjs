// A suite of parts, each a folder with a `run.mjs` of its own that can be run alone: the flags, the order, the sums.
import { parseArgs } from 'node:util';

/**
 * Runs the parts that the command line names, or all. Ends the process.
 *
 * @param {Record<string, (flags: { full: boolean }) => Promise<{ passed: number, failed: number }>>} parts by name, in their order
 */
export async function runParts(parts) {
  const { values: flags, positionals } = parseArgs({
    options: { full: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.filter((name) => !(name in parts));
  if (unknown.length > 0) {
    console.error(`no such part: ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
    process.exit(2);
  }
  let passed = 0;
  let failed = 0;
  for (const [name, run] of Object.entries(parts)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const began = performance.now();
    console.log(`== ${name}`);
    try {
      const part = await run(flags);
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
}

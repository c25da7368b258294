// Langfuse: what it takes, by a server with its rules, and what it shows of what it took.
import { runTests, tellEnd } from '../../run-tests.mjs';

export async function run() {
  return runTests('e2e/exporters/langfuse/*.e2e.ts');
}

if (process.argv[1] === import.meta.filename) tellEnd(await run());

// The hook of Claude Code and `serve` with a policy, as processes of their own, with events as Claude Code writes them.
//
// node e2e/policy/claude/run.mjs, and part of npm run e2e:policy
import { pathToFileURL } from 'node:url';
import { runTests, tellEnd } from '../../run-tests.mjs';

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runClaude() {
  return runTests('e2e/policy/claude/*.e2e.ts');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) tellEnd(await runClaude());

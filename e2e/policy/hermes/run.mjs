// Policy in real Hermes Agents: what is blocked, rewritten and approved, and what becomes of calls when the service is gone.
//
// node e2e/policy/hermes/run.mjs, and part of npm run e2e:policy. The agents are installed from PyPI into the cache (300 MB each)
// and run in a sandbox, which needs Linux and root or user namespaces; else it skips, and says so.
import { pathToFileURL } from 'node:url';
import { cacheFolder } from '../../cache-folder.mjs';
import { runTests, tellEnd } from '../../run-tests.mjs';

/** A call of each kind in the newest agent; the rest takes minutes. */
const SHORT = '0\\.22.*(a blocked call|a rewritten call|an approved call)|is approved by a command';

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runHermes({ full = false } = {}) {
  process.env.E2E_PROGRAMS = cacheFolder;
  const { ONLY: only = full ? undefined : SHORT } = process.env;
  if (!full) console.log('the older agent, results, children and what becomes of calls without a service: with --full');
  return runTests('e2e/policy/hermes/*.e2e.ts', only === undefined ? {} : { testNamePattern: only });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  tellEnd(await runHermes({ full: process.argv.includes('--full') }));

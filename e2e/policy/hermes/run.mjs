// Policy in real Hermes Agents: what is blocked, rewritten and approved, and what becomes of calls when the service is gone.
//
// node e2e/policy/hermes/run.mjs, and part of npm run e2e:policy. The agents are installed from PyPI into the cache (300 MB each)
// and run in a sandbox, which needs Linux and root or user namespaces; else it skips, and says so.
import { pathToFileURL } from 'node:url';
import { cacheFolder } from '../../cache-folder.mjs';
import { runTests, tellEnd } from '../../run-tests.mjs';

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runHermes() {
  process.env.E2E_PROGRAMS = cacheFolder;
  const only = process.env.ONLY;
  return runTests('e2e/policy/hermes/*.e2e.ts', only === undefined ? {} : { testNamePattern: only });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) tellEnd(await runHermes());

// Channels against the libraries of the other side, in a real terminal and in a real browser.
//
// node e2e/policy/channels/run.mjs, and part of npm run e2e:policy. Without the registry, Python or Chromium it skips, and says so.
import { pathToFileURL } from 'node:url';
import { runTests, tellEnd } from '../../run-tests.mjs';
import { installOracles } from './oracles.mjs';

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runChannels() {
  process.env.POLICY_ORACLES_MISSING = installOracles() ?? '';
  return runTests('e2e/policy/channels/*.e2e.ts');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) tellEnd(await runChannels());

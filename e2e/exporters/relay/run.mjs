// ATOF and ATIF files against the programs of others that read and write them.
//
// node e2e/exporters/relay/run.mjs [--full], and part of npm run e2e:exporters. Without Python or the registry it skips, and says so.
import { pathToFileURL } from 'node:url';
import { runTests, tellEnd } from '../../run-tests.mjs';
import { installOracles } from './oracles.mjs';

/** @param {{ full?: boolean }} [options] `full`: all recordings @returns {Promise<{ passed: number, failed: number }>} */
export async function run({ full = false } = {}) {
  process.env.RELAY_ORACLES_MISSING = installOracles() ?? '';
  process.env.RELAY_FULL = full ? '1' : '';
  return runTests('e2e/exporters/relay/*.e2e.ts');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  tellEnd(await run({ full: process.argv.includes('--full') }));
}

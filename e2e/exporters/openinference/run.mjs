// OpenInference: names and types by Arize's own package, the same spans through Arize's own converter, and a real Phoenix.
import { cacheFolder } from '../../cache-folder.mjs';
import { runTests, tellEnd } from '../../run-tests.mjs';
import { getPhoenix } from './get-phoenix.mjs';

export async function run({ full = false } = {}) {
  const python = getPhoenix(cacheFolder);
  Object.assign(process.env, { E2E_PHOENIX_PYTHON: python ?? '', E2E_FULL: full ? '1' : '0' });
  const files = python === undefined ? ['names', 'converter'] : [];
  const { passed, failed } = await runTests('e2e/exporters/openinference/*.e2e.ts', { files });
  return { passed, failed: failed + (python === undefined ? 1 : 0) };
}

if (process.argv[1] === import.meta.filename) tellEnd(await run({ full: process.argv.includes('--full') }));

// The real Collector in the cache, for the parts that need one. Programs as in e2e/run-suite.mjs.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../cache-folder.mjs';

/** @throws Error when it cannot be had. */
export function getCollector() {
  const script = fileURLToPath(new URL('../bin/get-otelcol.sh', import.meta.url));
  const { status, error } = spawnSync('bash', [script, cacheFolder], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`get-otelcol.sh: ${error?.message ?? `exit code ${status}`}`);
  process.env.E2E_COLLECTOR = join(cacheFolder, 'otelcol');
}

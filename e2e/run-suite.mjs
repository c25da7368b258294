// What the end-to-end suites share: the real programs they need, a vitest of their own, and the last line.
//
// E2E_CACHE_DIR is where programs are kept; default: hermes-observer-e2e in XDG_CACHE_HOME or ~/.cache. The first time
// they are built, which needs Go and takes 10 to 40 minutes; E2E_BIN_PREBUILT is a folder with built ones.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cacheFolder } from './cache-folder.mjs';
import { runTests, tellEnd } from './run-tests.mjs';

const top = fileURLToPath(new URL('..', import.meta.url));

/** Puts Jaeger and the Collector into the cache, if they are not there. */
function getPrograms() {
  for (const script of ['get-jaeger.sh', 'get-otelcol.sh']) {
    const { status, error } = spawnSync('bash', [join(top, 'e2e/bin', script), cacheFolder], { stdio: 'inherit' });
    if (status === 0) continue;
    console.error(`${script}: ${error?.message ?? `exit code ${status}`}`);
    return false;
  }
  return true;
}

function isFullAsked(name) {
  try {
    return parseArgs({ options: { full: { type: 'boolean', default: false } } }).values.full;
  } catch (error) {
    console.error(`${error.message}\nusage: npm run ${name} [-- --full]`);
    process.exit(2);
  }
}

/**
 * Runs the `*.e2e.ts` files of a folder of `e2e`. The last line is `N passed, N failed`; the exit code is 1 when something
 * failed or nothing passed, 2 for wrong use.
 *
 * @param {{ folder: string, withoutPrograms?: string[] }} suite `withoutPrograms`: files to run when a program cannot be had
 */
export async function runSuite({ folder, withoutPrograms = [] }) {
  const isFull = isFullAsked(`e2e:${folder}`);
  console.log(`programs in ${cacheFolder}`);
  const hasPrograms = getPrograms();
  Object.assign(process.env, { E2E_CACHE_DIR: cacheFolder, E2E_PROGRAMS: cacheFolder, E2E_FULL: isFull ? '1' : '0' });
  const noFile = ['none'];
  const filters = hasPrograms ? [] : withoutPrograms.length > 0 ? withoutPrograms : noFile;
  const { passed, failed } = await runTests(`e2e/${folder}/*.e2e.ts`, { files: filters });
  tellEnd({ passed, failed: failed + (hasPrograms ? 0 : 1) });
}

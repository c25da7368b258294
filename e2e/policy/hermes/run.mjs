// Policy in real Hermes Agents: what is blocked, rewritten and approved, and what becomes of calls when the service is gone.
//
// node e2e/policy/hermes/run.mjs, and part of npm run e2e:policy. The agents are installed from PyPI into the cache (300 MB each)
// and run in a sandbox, which needs Linux and root or user namespaces; else it skips, and says so.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startVitest } from 'vitest/node';
import { cacheFolder } from '../../cache-folder.mjs';

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runHermes() {
  process.env.E2E_PROGRAMS = cacheFolder;
  const vitest = await startVitest('test', [], {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    config: false,
    watch: false,
    include: ['e2e/policy/hermes/*.e2e.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['verbose'],
    disableConsoleIntercept: true,
    ...(process.env.ONLY !== undefined && { testNamePattern: process.env.ONLY }),
  });
  const modules = vitest.state.getTestModules();
  const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
  const count = (state) => states.filter((one) => one === state).length;
  const broken = modules.filter((module) => module.errors().length > 0).length;
  const failed = count('failed') + broken + vitest.state.getUnhandledErrors().length;
  await vitest.close();
  return { passed: count('passed'), failed: failed + (states.length === 0 ? 1 : 0) };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { passed, failed } = await runHermes();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

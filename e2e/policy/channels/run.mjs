// Channels against the libraries of the other side, in a real terminal and in a real browser.
//
// node e2e/policy/channels/run.mjs, and part of npm run e2e:policy. Without the registry, Python or Chromium it skips, and says so.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startVitest } from 'vitest/node';
import { installOracles } from './oracles.mjs';

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runChannels() {
  process.env.POLICY_ORACLES_MISSING = installOracles() ?? '';
  const vitest = await startVitest('test', [], {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    config: false,
    watch: false,
    include: ['e2e/policy/channels/*.e2e.ts'],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['verbose'],
    disableConsoleIntercept: true,
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
  const { passed, failed } = await runChannels();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

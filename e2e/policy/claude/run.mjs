// The hook of Claude Code and `serve` with a policy, as processes of their own, with events as Claude Code writes them.
//
// node e2e/policy/claude/run.mjs, and part of npm run e2e:policy
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startVitest } from 'vitest/node';

/** @returns {Promise<{ passed: number, failed: number }>} */
export async function runClaude() {
  const vitest = await startVitest('test', [], {
    root: fileURLToPath(new URL('../../..', import.meta.url)),
    config: false,
    watch: false,
    include: ['e2e/policy/claude/*.e2e.ts'],
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
  const { passed, failed } = await runClaude();
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

// A vitest of its own for the `*.e2e.ts` files of one suite.
import { fileURLToPath } from 'node:url';
import { startVitest } from 'vitest/node';

/**
 * Runs them one file after the other, against what is built.
 *
 * @param {string} include glob of the files, from the top of the repository
 * @param {{ files?: string[], testNamePattern?: string }} [only] `files`: parts of paths; none is all
 * @returns {Promise<{ passed: number, failed: number }>} A file that does not start counts as failed, and so do errors outside tests.
 */
export async function runTests(include, { files = [], ...only } = {}) {
  const vitest = await startVitest('test', files, {
    root: fileURLToPath(new URL('..', import.meta.url)),
    config: false,
    watch: false,
    include: [include],
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['verbose'],
    disableConsoleIntercept: true,
    passWithNoTests: true,
    ...only,
  });
  const tests = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()]);
  const count = (state) => tests.filter((test) => test.result().state === state).length;
  const hasFailedTest = (file) =>
    tests.some((test) => test.module.moduleId === file.filepath && test.result().state === 'failed');
  const broken = vitest.state.getFiles().filter((file) => file.result?.state === 'fail' && !hasFailedTest(file));
  const failed = count('failed') + broken.length + vitest.state.getUnhandledErrors().length;
  await vitest.close();
  return { passed: count('passed'), failed };
}

/** For a part that is run alone: says how it went, on the last line and by the exit code. */
export function tellEnd({ passed, failed }) {
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

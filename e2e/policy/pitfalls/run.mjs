// Every pitfall of guards and approvals, and what users ask for elsewhere: each has tests that attack the real thing, which are run
// here and looked for by name. `table.mjs` is the list.
//
// node e2e/policy/pitfalls/run.mjs, and part of npm run e2e:policy
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startVitest } from 'vitest/node';
import { Tally } from '../../kill/tally.mjs';
import { startPostgres } from '../postgres.mjs';
import { ASKS, PITFALLS } from './table.mjs';

const top = fileURLToPath(new URL('../../..', import.meta.url));
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * @param [options.full] also runs those that `npm test` runs; else it is looked that they are there.
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runPitfalls({ full = false } = {}) {
  const tally = new Tally();
  const all = [...PITFALLS, ...ASKS].flatMap((row) => row.tests);
  const isRunHere = ({ file }) => full || file.endsWith('.e2e.ts');
  const tests = all.filter(isRunHere);
  if (!full) console.log(`${all.length - tests.length} tests that npm test runs: with --full, here too`);
  // Installed where it is not, before the tests that need one look for it.
  const postgres = await startPostgres();
  await postgres.stop();
  if (postgres.url === undefined) console.log(`SKIP what needs PostgreSQL: ${postgres.skip}`);
  const vitest = await startVitest('test', [], {
    root: top,
    config: 'vitest.config.ts',
    watch: false,
    include: [...new Set(tests.map(({ file }) => file))],
    testNamePattern: [...new Set(tests.map(({ title }) => escaped(title)))].join('|'),
    fileParallelism: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default'],
  });
  const states = vitest.state.getTestModules().flatMap((module) =>
    [...module.children.allTests()].map((test) => ({
      file: relative(top, module.moduleId),
      name: test.name,
      state: test.result().state,
    })),
  );
  await vitest.close();
  for (const { what, tests: named } of [...PITFALLS, ...ASKS]) {
    const problems = named.flatMap((test) =>
      isRunHere(test)
        ? problemOf(states, test.file, test.title, postgres.url !== undefined)
        : standsIn(test)
          ? []
          : [`there is no test “${test.title}” in ${test.file}`],
    );
    tally.check(what, problems.length === 0, problems.join('; '));
  }
  return tally;
}

/** Titles with values in them stand there in parts. */
function standsIn({ file, title }) {
  const text = readFileSync(join(top, file), 'utf8').replaceAll("\\'", "'");
  return title.split(/%\w|\$\w+/).every((part) => text.includes(part));
}

function problemOf(states, file, title, hasPostgres) {
  const found = states.filter((test) => test.file === file && test.name.startsWith(title));
  if (found.length === 0) return [`there is no test “${title}” in ${file}`];
  const isExcused = !hasPostgres && /postgres|several-processes/i.test(`${file} ${title}`);
  const failed = found.filter(({ state }) => state !== 'passed' && !(isExcused && state === 'skipped'));
  return failed.length === 0 ? [] : [`“${title}” ${failed[0].state}`];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { passed, failed } = await runPitfalls({ full: process.argv.includes('--full') });
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

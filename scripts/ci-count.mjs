// Counts what a CI run came to: node scripts/ci-count.mjs FOLDER
//
// FOLDER holds `stages` (name, exit code and seconds of each stage, tab-separated), a `NAME.log` of each, and a
// `*.vitest.json` of each run of the tests. A stage counts as one; so does each test, and each case and recording that a
// checker says it has checked in a line `… N passed, N failed`. Prints the counts, and `N passed, N failed` as last line.
// Exit code 1 when something failed, or was skipped without a reason.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const CLOSING = /^(?:\S.*: )?(\d+) passed, (\d+) failed$/;
const folder = process.argv[2];
let passed = 0;
let failed = 0;
let unexplained = 0;

function count(what, good, bad) {
  passed += good;
  failed += bad;
  console.log(`${what}: ${good} passed, ${bad} failed`);
}

const stages = readFileSync(join(folder, 'stages'), 'utf8').trim().split('\n');
for (const line of stages) {
  const [name, code, seconds] = line.split('\t');
  console.log(`${code === '0' ? 'ok  ' : 'FAIL'} ${name}  ${seconds} s${code === '0' ? '' : `, exit code ${code}`}`);
  if (code === '0') passed++;
  else failed++;
}
console.log(`stages: ${passed} passed, ${failed} failed`);

for (const file of readdirSync(folder).filter((name) => name.endsWith('.vitest.json'))) {
  const report = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  count('tests', report.numPassedTests, report.numFailedTests);
  for (const test of report.testResults.flatMap(({ assertionResults }) => assertionResults)) {
    if (test.status === 'passed' || test.status === 'failed') continue;
    const reason = test.meta?.skipReason;
    console.log(`skipped: ${test.fullName}: ${reason ?? 'no reason given'}`);
    if (reason === undefined) unexplained++;
  }
}

for (const line of stages) {
  const [name] = line.split('\t');
  const log = join(folder, `${name}.log`);
  if (!existsSync(log)) continue;
  for (const text of readFileSync(log, 'utf8').split('\n')) {
    const [, good, bad] = CLOSING.exec(text.trimEnd()) ?? [];
    if (good !== undefined)
      count(text.includes(':') ? text.slice(0, text.lastIndexOf(':')) : name, Number(good), Number(bad));
  }
}

if (unexplained > 0) console.log(`${unexplained} tests were skipped without a reason`);
if (!existsSync(join(folder, 'complete'))) {
  failed++;
  console.log('the run did not come to its end');
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || unexplained > 0 ? 1 : 0;

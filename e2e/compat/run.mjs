// `npm run e2e:compat`: the packed packages in apps of their own (OpenTelemetry 2.x and 3.x, API 1.9 and 1.10, bare and
// with the NodeSDK), type-checked there; the snippets of the pages in one more; and the tests under other Node.js
// releases. `--full` runs every test on every release.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { compile, furnish, install, nodeOf, pack, TOP } from './apps.mjs';
import { check, command, counts, run } from './check.mjs';
import { checkPages } from './snippets.mjs';
import { APPS, README_APP } from './versions.mjs';

const full = process.argv.includes('--full');
const recording = join(TOP, 'conformance/recordings/0.22.2/n-delegate-nested-sync.ndjson');

/** What a script must print. */
const PRINTS = {
  'app.mjs': /^ok \d+ spans\n$/,
  'existing-sdk.mjs': new RegExp(
    '^Rome: sunny\n' +
      'POST /chat \\(trip-planner\\)\n' +
      ' {2}invoke_agent planner \\(trip-planner\\)\n' +
      ' {4}execute_tool weather \\(trip-planner\\)\n' +
      ' {6}GET /forecast \\(trip-planner\\)\n$',
  ),
};

const packages = await pack();
const { '@hermes-observer/core': core, '@hermes-observer/otel': otel } = packages;
for (const app of APPS) {
  const folder = await install(app, { '@hermes-observer/core': core, '@hermes-observer/otel': otel });
  furnish(folder, app);
  if (app.types) await run(`types in ${app.name}, skipLibCheck off`, ...compile(folder, ['consumer.ts']));
  for (const major of [20, 22, 24]) {
    if (major < app.leastNode || (major === 20 && !process.versions.node.startsWith('20.'))) continue;
    const node = await nodeOf(major);
    await check(`${app.name} on Node.js ${major}`, async () => {
      const { stdout } = await command(node, [app.script, app.sdk, recording], { cwd: folder });
      assert.match(stdout, PRINTS[app.script]);
    });
  }
}
await checkPages(await install(README_APP, packages));

const tests = full
  ? ['packages', 'e2e']
  : ['packages/otel/src/bridge', 'packages/otel/src/provider', 'packages/core/src/dispatch'];
for (const major of [22, 24]) {
  const args = [join(TOP, 'node_modules/vitest/vitest.mjs'), 'run', ...tests];
  await run(`tests on Node.js ${major}: ${tests.join(' ')}`, await nodeOf(major), args, { cwd: TOP });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

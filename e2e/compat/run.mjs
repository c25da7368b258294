// `npm run e2e:compat`: the packed packages in apps of their own (OpenTelemetry 2.x and 3.x, API 1.9 and 1.10), type-checked
// there, and the tests under other Node.js releases. `--full` runs every test on every release.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { APPS, NODES } from './versions.mjs';

const full = process.argv.includes('--full');
const here = fileURLToPath(new URL('.', import.meta.url));
const top = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'hermes-observer-e2e', 'compat');
const recording = join(top, 'conformance/recordings/0.22.2/n-delegate-nested-sync.ndjson');
let passed = 0;
let failed = 0;

function run(title, command, args, cwd = top, env = {}) {
  const began = performance.now();
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  if (status === 0) passed++;
  else failed++;
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${title} (${seconds} s)`);
  if (status !== 0) console.log(`${stdout}\n${stderr}`.trim().split('\n').slice(-40).join('\n'));
  return { ok: status === 0, stdout };
}

/** The binary of a release; this one's own when its number is asked for. */
function nodeOf(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const folder = join(cache, `node-${NODES[major]}`);
  const name = `node-${process.platform}-${process.arch}`;
  const binary = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    run(
      `install Node.js ${NODES[major]}`,
      'npm',
      ['install', `${name}@${NODES[major]}`, '--no-audit', '--no-fund', '--silent'],
      folder,
    );
  }
  return binary;
}

function pack() {
  const folder = join(cache, 'tarballs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['core', 'otel', 'cli']) {
    run(`pack ${name}`, 'npm', ['pack', `--workspace=packages/${name}`, '--pack-destination', folder, '--silent']);
  }
  return Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.replace(/-\d.*$/, '').replace('hermes-observer-', '@hermes-observer/'),
      join(folder, file),
    ]),
  );
}

/** An app with the packed packages; npm must find nothing to complain of among their peers. */
function install({ name, sdk, dependencies }, tarballs) {
  const folder = join(cache, `app-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const ours = {
    '@hermes-observer/core': tarballs['@hermes-observer/core'],
    '@hermes-observer/otel': tarballs['@hermes-observer/otel'],
  };
  const all = { ...ours, ...dependencies, '@types/node': '20.19.43', typescript: '7.0.2' };
  const files = Object.fromEntries(
    Object.entries(all).map(([key, value]) => [key, value.endsWith('.tgz') ? `file:${value}` : value]),
  );
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies: files }, null, 2),
  );
  run(
    `install ${name} (${sdk}, API ${dependencies['@opentelemetry/api']})`,
    'npm',
    ['install', '--strict-peer-deps', '--no-audit', '--no-fund', '--silent'],
    folder,
  );
  cpSync(join(here, 'app.mjs'), join(folder, 'app.mjs'));
  writeFileSync(
    join(folder, 'consumer.ts'),
    readFileSync(join(here, 'consumer.ts'), 'utf8').replace('SDK_PACKAGE', sdk),
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  return folder;
}

mkdirSync(cache, { recursive: true });
const tarballs = pack();
for (const app of APPS) {
  const folder = install(app, tarballs);
  run(`types in ${app.name}, skipLibCheck off`, join(folder, 'node_modules', '.bin', 'tsc'), ['-p', '.'], folder);
  for (const major of [20, 22, 24]) {
    if (major < app.leastNode || (major === 20 && !process.versions.node.startsWith('20.'))) continue;
    run(`${app.name} on Node.js ${major}`, nodeOf(major), ['app.mjs', app.sdk, recording], folder);
  }
}
const vitest = join(top, 'node_modules/vitest/vitest.mjs');
const tests = full
  ? ['packages', 'e2e']
  : ['packages/otel/src/bridge', 'packages/otel/src/provider', 'packages/core/src/dispatch'];
for (const major of [22, 24])
  run(`tests on Node.js ${major}: ${tests.join(' ')}`, nodeOf(major), [vitest, 'run', ...tests]);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

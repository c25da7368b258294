// Apps of their own, in a cache folder, that the packed packages are installed into.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, command, run } from './check.mjs';
import { NODES } from './versions.mjs';

export const TOP = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'hermes-observer-e2e', 'compat');
const QUIET = ['--no-audit', '--no-fund', '--silent'];

const COMPILER_OPTIONS = {
  strict: true,
  skipLibCheck: false,
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
};

/** The binary of a release; this one's own when its number is asked for. */
export async function nodeOf(major) {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const folder = join(CACHE, `node-${NODES[major]}`);
  const name = `node-${process.platform}-${process.arch}`;
  const binary = join(folder, 'node_modules', name, 'bin', 'node');
  if (!existsSync(binary)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const args = ['install', `${name}@${NODES[major]}`, ...QUIET];
    await run(`install Node.js ${NODES[major]}`, 'npm', args, { cwd: folder });
  }
  return binary;
}

/** All published packages as `npm pack` makes them: their names with `file:` addresses. */
export async function pack() {
  const folder = join(CACHE, 'tarballs');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const args = ['pack', '--workspaces', '--pack-destination', folder, '--silent'];
  await run('pack the packages', 'npm', args, { cwd: TOP });
  return Object.fromEntries(
    readdirSync(folder).map((file) => [
      file.replace(/-\d.*$/, '').replace('hermes-observer-', '@hermes-observer/'),
      `file:${join(folder, file)}`,
    ]),
  );
}

/**
 * An app with `packages` in it; npm must find nothing to complain of among their peers. Returns its folder. With `isKept` one that is
 * there already gets our packages anew, and all else stays: it is of exact versions.
 */
export async function install(app, packages) {
  const { name, sdk, dependencies, overrides, isWithoutOptional = false, isKept = false } = app;
  const folder = join(CACHE, `app-${name}`);
  const all = { ...packages, ...dependencies, '@types/node': '20.19.43', typescript: '7.0.2' };
  const manifest = { private: true, type: 'module', dependencies: all, overrides };
  if (isKept && isInstalled(folder, manifest)) {
    await check(`renew our packages in ${name} (${sdk})`, () => unpack(folder, packages));
    return folder;
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeJson(join(folder, 'package.json'), manifest);
  const api = dependencies['@opentelemetry/api'];
  await check(`install ${name} (${sdk}, API ${api})`, async () => {
    const less = isWithoutOptional ? ['--omit=optional'] : [];
    await command('npm', ['install', '--strict-peer-deps', ...less, ...QUIET], { cwd: folder });
    assert.deepEqual(apisIn(join(folder, 'node_modules')), [api]);
  });
  return folder;
}

/** npm writes the file last. */
function isInstalled(folder, manifest) {
  const path = join(folder, 'package.json');
  const isDone = existsSync(join(folder, 'package-lock.json')) && existsSync(path);
  return isDone && readFileSync(path, 'utf8') === JSON.stringify(manifest, null, 2);
}

async function unpack(folder, packages) {
  for (const [name, address] of Object.entries(packages)) {
    const place = join(folder, 'node_modules', name);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(place, { recursive: true });
    await command('tar', ['-xzf', address.slice('file:'.length), '--strip-components=1'], { cwd: place });
  }
}

/** The releases of the API in a tree. Two copies would be two sets of globals, and say nothing of the one asked for. */
function apisIn(modules) {
  return readdirSync(modules, { recursive: true })
    .filter((path) => path.endsWith(join('@opentelemetry', 'api', 'package.json')))
    .map((path) => JSON.parse(readFileSync(join(modules, path), 'utf8')).version);
}

/** Puts the script of an app into it, and `consumer.ts` for its SDK if that is checked there. */
export function furnish(folder, { script, sdk, types }) {
  const source = script === 'app.mjs' ? join(HERE, script) : join(TOP, 'examples', script);
  cpSync(source, join(folder, script));
  if (!types) return;
  writeFileSync(
    join(folder, 'consumer.ts'),
    readFileSync(join(HERE, 'consumer.ts'), 'utf8').replace('@opentelemetry/sdk-trace-base', sdk),
  );
}

/** The arguments of the app's own `tsc` that compile `files` strictly, declarations of packages included. */
export function compile(folder, files, options = { noEmit: true }) {
  writeJson(join(folder, 'tsconfig.json'), { compilerOptions: { ...COMPILER_OPTIONS, ...options }, files });
  return [join(folder, 'node_modules', '.bin', 'tsc'), ['-p', '.'], { cwd: folder }];
}

function writeJson(path, value) {
  writeFileSync(path, JSON.stringify(value, null, 2));
}

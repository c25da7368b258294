// Packs each package as a release would and checks the tarball: what is in it and how large that is, what it exports, and
// how it resolves for importers.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Bytes that a package may take where it is installed, without its dependencies. */
const MAX_BYTES = {
  core: 535_000,
  otel: 300_000,
  policy: 400_000,
  profiles: 100_000,
  signals: 100_000,
  cost: 50_000,
  relay: 100_000,
  adapter: 60_000,
  'ai-sdk': 50_000,
  'openai-agents': 50_000,
  langchain: 50_000,
  claude: 50_000,
  clients: 50_000,
  auto: 50_000,
  cli: 1_300_000,
};

const STRAYS = /\.test[.-]|tsbuildinfo|\.map$|(?<!\.d)\.ts$|\.types\//;

const top = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'packages-'));
let failed = 0;

function report(title, isGood, details) {
  console.log(`${isGood ? 'ok  ' : 'FAIL'} ${title}`);
  if (isGood) return;
  failed++;
  console.log(details);
}

function check(title, command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: top, encoding: 'utf8' });
  report(title, status === 0, stdout + stderr);
}

for (const name of readdirSync(join(top, 'packages')).sort()) {
  // Parts of other packages are not published by themselves.
  if (JSON.parse(readFileSync(join(top, 'packages', name, 'package.json'), 'utf8')).private === true) continue;
  const args = ['pack', `--workspace=packages/${name}`, '--pack-destination', folder, '--json'];
  const { stdout, stderr, status } = spawnSync('npm', args, { cwd: top, encoding: 'utf8' });
  report(`pack ${name}`, status === 0, stderr);
  if (status !== 0) continue;
  const [{ filename, files, unpackedSize }] = JSON.parse(stdout);
  const path = join(folder, filename);
  const strays = files.map((file) => file.path).filter((file) => STRAYS.test(file));
  report(
    `contents of ${name}`,
    files.some((file) => file.path === 'README.md') && strays.length === 0,
    strays.join('\n'),
  );
  const size = `${Math.ceil(unpackedSize / 1000)} KB of at most ${MAX_BYTES[name] / 1000}`;
  report(
    `size of ${name}, ${size}`,
    unpackedSize <= MAX_BYTES[name],
    files.map((file) => `${file.size} ${file.path}`).join('\n'),
  );
  check(`publint ${name}`, process.execPath, ['node_modules/publint/src/cli.js', path, '--strict']);
  // The command has nothing to import.
  if (name === 'cli') continue;
  check(`attw ${name}`, process.execPath, [
    'node_modules/@arethetypeswrong/cli/dist/index.js',
    path,
    '--profile',
    'esm-only',
  ]);
}
rmSync(folder, { recursive: true });
console.log(failed === 0 ? 'packages are as they must be' : `${failed} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;

// Packs each package as a release would and checks the tarball: what it exports, and how it resolves for importers.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  check(`pack ${name}`, 'npm', ['pack', `--workspace=packages/${name}`, '--pack-destination', folder, '--silent']);
}
for (const tarball of readdirSync(folder).sort()) {
  const path = join(folder, tarball);
  const { stdout } = spawnSync('tar', ['-tzf', path], { encoding: 'utf8' });
  const strays = stdout.split('\n').filter((name) => /\.test[.-]|tsbuildinfo/.test(name));
  report(`contents ${tarball}`, stdout.includes('package/README.md') && strays.length === 0, strays.join('\n'));
  check(`publint ${tarball}`, process.execPath, ['node_modules/publint/src/cli.js', path, '--strict']);
  // The command has nothing to import.
  if (tarball.includes('-cli-')) continue;
  check(`attw ${tarball}`, process.execPath, [
    'node_modules/@arethetypeswrong/cli/dist/index.js',
    path,
    '--profile',
    'esm-only',
  ]);
}
rmSync(folder, { recursive: true });
console.log(failed === 0 ? 'packages are as they must be' : `${failed} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;

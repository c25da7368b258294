// Builds the page of the viewer and puts it into the package of the command, which serves it. Part of `npm run build`; does
// nothing while nothing has changed. Fails when the page has become larger than it may be.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/** Script and style, packed, in bytes. */
const MOST_BYTES = 80 * 1024;

const top = fileURLToPath(new URL('..', import.meta.url));
const source = join(top, 'packages/viewer');
const built = join(source, 'dist');
const target = join(top, 'packages/cli/viewer');
/** Beside what was built: of which sources it is. */
const stamp = join(built, '.sources');

const filesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

function digestOfSources() {
  const hash = createHash('sha256');
  const own = ['index.html', 'package.json', 'tsconfig.json', 'vite.config.ts'].map((name) => join(source, name));
  const tools = ['preact', '@preact/signals', 'vite'].map((name) => join(top, 'node_modules', name, 'package.json'));
  for (const path of [fileURLToPath(import.meta.url), ...own, ...tools, ...filesIn(join(source, 'src'))]) {
    if (!/\.test\.tsx?$/.test(path))
      hash.update(relative(top, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

/** What a browser loads, by its type. @throws where something else is there, or it is too large */
function checkFiles() {
  const files = filesIn(built);
  const strays = files.filter((path) => !/\.(html|js|css)$/.test(path));
  if (strays.length > 0) throw new Error(`the page has files that nothing serves: ${strays.join(', ')}`);
  const code = files.filter((path) => /\.(js|css)$/.test(path));
  const bytes = code.reduce((sum, path) => sum + gzipSync(readFileSync(path), { level: 9 }).length, 0);
  if (bytes > MOST_BYTES)
    throw new Error(`script and style of the page are ${bytes} bytes packed, more than ${MOST_BYTES}`);
  const page = readFileSync(join(built, 'index.html'), 'utf8');
  if (/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/i.test(page))
    throw new Error('the page has inline code, which its policy forbids');
}

const digest = digestOfSources();
const isBuilt = existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
if (!isBuilt) {
  rmSync(built, { recursive: true, force: true });
  await build({ root: source, logLevel: 'warn' });
  checkFiles();
  writeFileSync(stamp, digest);
}
if (!isBuilt || !existsSync(join(target, 'index.html'))) {
  rmSync(target, { recursive: true, force: true });
  cpSync(built, target, { recursive: true, filter: (path) => path !== stamp });
}

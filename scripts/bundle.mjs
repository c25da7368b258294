// Writes the JavaScript of the library packages, one file an entry: an import then opens one file instead of a hundred
// small ones, which halves the time it takes. Types come from `tsc`. So too the hook of Claude Code. Part of `npm run build`.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { ENTRIES } from './entries.mjs';

/** Modules that may exist only once, such as a class that is tested for, or that are large: other entries take them from the main one. */
const ONLY_ONCE = ['index', 'errors', 'encoding/json-encoding', 'encoding/protobuf-encoding', 'transport/backoff'];

/** All of these folders is in the main entry, or exported by it. */
const IN_MAIN_ENTRY = /\/policy\/src\/(approvals|builtin|channels|engine|scripts|stores)\//;

/** Further entries import the main entry's file where they name such a module. */
const fromMainEntry = (source) => ({
  name: 'from-main-entry',
  async resolveId(id, importer) {
    const resolved = importer === undefined ? null : await this.resolve(id, importer, { skipSelf: true });
    const isOne =
      ONLY_ONCE.some((name) => resolved?.id === `${source}${name}.ts`) || IN_MAIN_ENTRY.test(resolved?.id ?? '');
    return isOne ? { id: './index.js', external: true } : null;
  },
});

/**
 * For an import of a builtin Node.js makes a module with all of its exports, which takes up to 1 ms of the start of every
 * program, each; asked for like this it is at hand.
 */
const builtinsAtHand = {
  name: 'builtins-at-hand',
  renderChunk: (code) => ({
    code: code.replace(/^import (\{[^}]*\}|\* as \w+) from "(node:[\w/]+)";$/gm, (_, names, module) => {
      const target = names.startsWith('*') ? names.slice('* as '.length) : names.replaceAll(' as ', ': ');
      return `const ${target} = process.getBuiltinModule("${module}");`;
    }),
    map: null,
  }),
};

/** What is bundled in though it is another package's: `auto` is loaded by programs that need nothing else of it. */
const versionsInAuto = {
  name: 'versions-in-auto',
  resolveId: (id) =>
    id === '@hermes-observer/adapter/versions'
      ? fileURLToPath(new URL('../packages/adapter/src/versions.ts', import.meta.url))
      : null,
};

for (const [name, entries] of Object.entries(ENTRIES)) {
  const folder = fileURLToPath(new URL(`../packages/${name}/`, import.meta.url));
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
  const outside = [`@hermes-observer/${name}`, ...Object.keys({ ...dependencies, ...peerDependencies })];
  for (const entry of entries) {
    const bundle = await rolldown({
      input: `${folder}src/${entry}.ts`,
      platform: 'node',
      transform: { target: 'es2023' },
      // A stored property of a known name costs V8 less than one whose name stands in a constant.
      optimization: { inlineConst: { mode: 'all', pass: 2 } },
      external: (id) =>
        id.startsWith('node:') ||
        ((name !== 'auto' || id !== '@hermes-observer/adapter/versions') &&
          outside.some((known) => id === known || id.startsWith(`${known}/`))),
      plugins: [
        builtinsAtHand,
        ...(name === 'auto' ? [versionsInAuto] : []),
        ...(entry === 'index' ? [] : [fromMainEntry(`${folder}src/`)]),
      ],
      onLog: (level, log, report) => {
        if (level === 'warn') throw new Error(`${name}: ${log.message}`);
        report(level, log);
      },
    });
    await bundle.write({
      file: `${folder}dist/${entry}.js`,
      format: 'esm',
      comments: false,
      // Names of classes are read: in errors, in warnings, by who inspects.
      minify: {
        compress: true,
        mangle: { keepNames: { class: true, function: false } },
        codegen: { removeWhitespace: true },
      },
    });
    await bundle.close();
  }
}

/** What an agent starts for each of its events: CommonJS, since a module takes a fifth longer to start. */
const hook = await rolldown({
  input: fileURLToPath(new URL('../packages/cli/src/claude-hook/main.ts', import.meta.url)),
  platform: 'node',
  transform: { target: 'es2023' },
  external: (id) => id.startsWith('node:'),
});
await hook.write({
  file: fileURLToPath(new URL('../packages/cli/dist/claude-hook.cjs', import.meta.url)),
  format: 'cjs',
  comments: false,
});
await hook.close();

/** The viewer in the terminal: one file in place of fifty. What it shares with the rest of the command stays outside. */
const terminal = fileURLToPath(new URL('../packages/cli/dist/terminal/', import.meta.url));
const view = await rolldown({
  input: fileURLToPath(new URL('../packages/cli/src/terminal/index.ts', import.meta.url)),
  platform: 'node',
  transform: { target: 'es2023' },
  external: (id) => !id.startsWith('.') && !id.startsWith('/'),
  plugins: [{ name: 'other-folders', resolveId: (id) => (id.startsWith('../') ? { id, external: true } : null) }],
});
await view.write({
  file: `${terminal}index.js`,
  format: 'esm',
  comments: false,
  minify: {
    compress: true,
    mangle: { keepNames: { class: true, function: false } },
    codegen: { removeWhitespace: true },
  },
});
await view.close();
for (const name of readdirSync(terminal)) if (name !== 'index.js') rmSync(`${terminal}${name}`);

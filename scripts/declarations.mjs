// Writes the types that the library packages publish: of what `tsc` declares, in `dist/.types`, only what the entries lead
// to, declaration by declaration. The rest would be most of the package. Comments stay where a name is exported by an
// entry that is documented. Part of `npm run build`; takes away what an earlier build left in `dist`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { ENTRIES, UNDOCUMENTED } from './entries.mjs';

/** All names that stand in a part of a syntax tree; more than it refers to, never less. Modules it imports inline, too. */
function namesIn(node, names = new Set(), modules = new Set()) {
  if (Array.isArray(node)) for (const each of node) namesIn(each, names, modules);
  else if (node !== null && typeof node === 'object') {
    if (node.type === 'Identifier') names.add(node.name);
    if (node.type === 'TSImportType') modules.add(node.source.value);
    for (const each of Object.values(node)) namesIn(each, names, modules);
  }
  return { names, modules };
}

/** The declarations of a module, and what each name in it is: its own, or one of another module. */
class DeclaredModule {
  /** Name → `{ own }`, a statement, or `{ from, name }`; `*` is all of a module. */
  names = new Map();
  exported = new Map();
  wholly = [];
  statements = [];

  constructor(path) {
    this.path = path;
    this.text = readFileSync(path, 'utf8');
    let start = 0;
    for (const node of parseAst(this.text, { lang: 'dts' }).body) {
      const statement = { node, start, kept: new Set(), isPublic: false };
      start = node.end;
      this.statements.push(statement);
      this.#read(node, statement);
    }
  }

  #read(node, statement) {
    const from = node.source?.value;
    const declaration = node.declaration ?? node;
    if (node.type === 'ExportAllDeclaration') {
      if (node.exported === null) this.wholly.push({ from, statement });
      else this.exported.set(node.exported.name, { from, name: '*', statement });
    } else if (node.type === 'ImportDeclaration') {
      for (const one of node.specifiers) {
        this.names.set(one.local.name, { from, name: one.imported?.name ?? '*', statement, specifier: one });
      }
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
      for (const one of node.specifiers) {
        this.exported.set(one.exported.name, { from, name: one.local.name, statement, specifier: one });
      }
    } else {
      const ids = declaration.declarations?.map(({ id }) => id) ?? [declaration.id];
      for (const { name } of ids) {
        // Overloads and merged declarations have one name and several statements.
        const all = this.names.get(name)?.own ?? [];
        this.names.set(name, { own: [...all, statement] });
        if (node.type === 'ExportNamedDeclaration') this.exported.set(name, this.names.get(name));
      }
    }
  }
}

/** What a package publishes, by the path of each module below `folder`. */
function reachable(folder, entries, undocumented) {
  const modules = new Map();
  const load = (path) => {
    if (!modules.has(path)) modules.set(path, new DeclaredModule(path));
    return modules.get(path);
  };
  const target = (module, from) => load(join(dirname(module.path), from.replace(/\.js$/, '.d.ts')));

  const keep = (module, found, isPublic) => {
    for (const statement of found.own ?? []) {
      statement.isPublic ||= isPublic;
      if (statement.kept.has(statement.node)) continue;
      statement.kept.add(statement.node);
      const { names, modules: inline } = namesIn(statement.node);
      for (const name of names) if (module.names.has(name)) keep(module, module.names.get(name), false);
      for (const from of inline) if (from.startsWith('.')) keepAll(target(module, from), false);
    }
    if (found.own !== undefined) return;
    found.statement.kept.add(found.specifier ?? found.statement.node);
    if (found.from === undefined) keep(module, module.names.get(found.name), isPublic);
    else if (!found.from.startsWith('.')) return;
    // What a namespace has is not documented here: of the names of attributes there is a table in docs/span-model.md.
    else if (found.name === '*') keepAll(target(module, found.from), false);
    else keepExport(target(module, found.from), found.name, isPublic);
  };
  const keepExport = (module, name, isPublic) => {
    const found = module.exported.get(name);
    if (found !== undefined) keep(module, found, isPublic);
    else if (module.wholly.length > 0) keepAll(module, isPublic);
    else throw new Error(`${module.path} does not export ${name}`);
  };
  const keepAll = (module, isPublic) => {
    for (const found of module.exported.values()) keep(module, found, isPublic);
    for (const { from, statement } of module.wholly) {
      statement.kept.add(statement.node);
      keepAll(target(module, from), isPublic);
    }
  };
  for (const entry of entries) keepAll(load(join(folder, `${entry}.d.ts`)), !undocumented.includes(entry));
  return modules;
}

const COMMENT = /[ \t]*\/\*\*[\s\S]*?\*\/\n?/g;
const PRIVATE_COMMENT = /[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n(?=\s*private )/g;

/** The text of a module with what is kept of it. */
function textOf({ text, statements }) {
  const parts = statements.map(({ node, start, kept, isPublic }) => {
    if (kept.has(node)) {
      const whole = text.slice(start, node.end).trim();
      return whole.replace(isPublic ? PRIVATE_COMMENT : COMMENT, '');
    }
    if (kept.size === 0) return undefined;
    const { specifiers } = node;
    const names = specifiers.filter((one) => kept.has(one)).map((one) => text.slice(one.start, one.end));
    const isNamed = specifiers.every(({ type }) => type === 'ImportSpecifier' || type === 'ExportSpecifier');
    const list = text.slice(specifiers[0].start, specifiers.at(-1).end);
    return isNamed
      ? text.slice(node.start, node.end).replace(list, names.join(', '))
      : text.slice(node.start, node.end);
  });
  const kept = parts.filter((part) => part !== undefined);
  // A module without an import or export would declare globals.
  return kept.length === 0
    ? undefined
    : `${kept.join('\n')}\n`.replace(/^( {4})+/gm, (all) => '\t'.repeat(all.length / 4));
}

/** Paths of the files below `folder`, without those of `tsc`. */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true }).filter((path) => /\.\w+$/.test(path) && !path.startsWith('.types'));

for (const [name, entries] of Object.entries(ENTRIES)) {
  const dist = fileURLToPath(new URL(`../packages/${name}/dist`, import.meta.url));
  const types = join(dist, '.types');
  const written = new Set(entries.map((entry) => `${entry}.js`));
  for (const [path, module] of reachable(types, entries, UNDOCUMENTED[name])) {
    const text = textOf(module);
    if (text === undefined) continue;
    const place = path.slice(types.length + 1);
    written.add(place);
    mkdirSync(dirname(join(dist, place)), { recursive: true });
    writeFileSync(join(dist, place), text);
  }
  for (const path of filesIn(dist)) if (!written.has(path) && !path.startsWith('.')) rmSync(join(dist, path));
}

// Of the command `tsc` writes the JavaScript too, and leaves that of sources which are gone.
const command = fileURLToPath(new URL('../packages/cli/', import.meta.url));
const sources = new Set(filesIn(`${command}src`).map((path) => path.replace(/\.ts$/, '.js')));
for (const path of filesIn(`${command}dist`)) {
  if (/\.d\.ts$|\.map$/.test(path) || (path.endsWith('.js') && !sources.has(path))) rmSync(join(command, 'dist', path));
}

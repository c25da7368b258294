import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';

/** A text file of the repository: its path from the top, with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

export interface ModuleImport {
  readonly specifier: string;
  /** Erased by the compiler: `import type`, `export type`. */
  readonly isType: boolean;
}

const NOT_SOURCE = new Set([
  'node_modules',
  'dist',
  '.git',
  'coverage',
  '.cache',
  '__pycache__',
  '.pytest_cache',
  '.venv',
]);
/** What the build puts beside the sources. */
const BUILT = new Set(['packages/cli/viewer']);
const BINARY = /\.(png|jpe?g|gif|ico|gz|tgz|woff2?)$/;

/** Paths of all files below `folder` that belong to the repository, sorted, relative to it. */
export function filesBelow(folder: string, below = ''): string[] {
  return readdirSync(join(folder, below), { withFileTypes: true })
    .filter((entry) => !NOT_SOURCE.has(entry.name) && !entry.name.endsWith('.egg-info'))
    .flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (BUILT.has(path)) return [];
      if (entry.isDirectory()) return filesBelow(folder, path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}

export function readSources(folder: string): SourceFile[] {
  return filesBelow(folder)
    .filter((path) => !BINARY.test(path) && !path.endsWith('.tsbuildinfo'))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
}

/** All that a module imports or exports from elsewhere, as a parser sees it. */
export function importsOf({ path, text }: SourceFile): ModuleImport[] {
  const { module, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: ModuleImport[] = [];
  for (const { moduleRequest, start } of module.staticImports) {
    found.push({ specifier: moduleRequest.value, isType: /^import\s+type\b/.test(text.slice(start)) });
  }
  for (const { entries, start } of module.staticExports) {
    const specifier = entries.find((entry) => entry.moduleRequest)?.moduleRequest?.value;
    if (specifier !== undefined) found.push({ specifier, isType: /^export\s+type\b/.test(text.slice(start)) });
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const literal = text.slice(moduleRequest.start, moduleRequest.end);
    if (/^['"]/.test(literal)) found.push({ specifier: literal.slice(1, -1), isType: false });
  }
  return found;
}

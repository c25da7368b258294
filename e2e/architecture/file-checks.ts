import { EMPTY_NAMES, FIXED_NAMES, MAX_LINES } from './rules.js';
import type { SourceFile } from './source-tree.js';

/** Code of our own that the bound on lines and the rules on names hold for. */
const CODE = /^(packages|integrations|e2e|scripts|examples|bench|\.ci)\//;
const DATA = /^conformance\/|^packages\/cli\/demo\//;

export function checkLengths(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => CODE.test(path) && /\.(tsx?|mjs|js|py|css)$/.test(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines, more than ${MAX_LINES}`);
}

const KEBAB = /^\.?[a-z0-9]+([-.][a-z0-9]+)*$/;
const PYTHON = /^integrations\/.*\/|\.py$/;
/** Modules of Python, and the packages they are in. */
const SNAKE = /^[a-z0-9_]+(\.py|\.typed)?$/;

/** Kebab-case files and folders, none of which is named for nothing. */
export function checkNames(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path }) => {
    if (DATA.test(path)) return [];
    return path.split('/').flatMap((name) => {
      if (FIXED_NAMES.has(name)) return [];
      if (!KEBAB.test(name) && !(PYTHON.test(path) && SNAKE.test(name))) return [`${path}: ${name} is not kebab-case`];
      return EMPTY_NAMES.test(name) ? [`${path}: ${name} does not say what is inside`] : [];
    });
  });
}

/** Texts that belong to a machine and not to the project. Put together here, so that this file holds none of them. */
const MACHINE_TEXTS = ['work', 'root', 'Users'].map((folder) => `/${folder}/`);

/** The recordings are those of an agent in a sandbox with paths of its own, and are checked like all else. */
export function checkMachineTexts(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, i) =>
        MACHINE_TEXTS.filter((word) => new RegExp(`(^|[\\s"'\`(=:])${word}`).test(line)).map(
          (word) => `${path}:${i + 1}: names the path ${word} of a machine`,
        ),
      ),
  );
}

/** No address of a registry: an install takes the registry of whoever installs. */
export function checkLockFile(text: string): string[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, { resolved?: string; link?: boolean }> };
  return Object.entries(packages)
    .filter(([, { resolved, link }]) => resolved !== undefined && link !== true)
    .map(([name, { resolved }]) => `package-lock.json: ${name} is resolved to ${resolved}`);
}

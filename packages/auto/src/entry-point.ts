import { FRAMEWORKS, type Framework } from './frameworks.js';

/** A file of a framework, as it was found. */
export interface EntryPoint {
  readonly framework: Framework;
  readonly version: string;
}

const FILES = FRAMEWORKS.flatMap((framework) => framework.files.map((file) => ({ file, framework })));
/** By the last name of the path: of thousands of modules few are looked at closer. */
const BY_NAME = new Map<string, typeof FILES>();
for (const one of FILES) BY_NAME.set(nameOf(one.file), [...(BY_NAME.get(nameOf(one.file)) ?? []), one]);
const manifests = new Map<string, { name?: unknown; version?: unknown } | undefined>();

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * The framework whose file this is: by the `name` in the manifest of its package, so that copies, links, and packages that
 * were installed under another name are found too.
 *
 * @param path of a file, or its `file:` address, with `/` between folders
 */
export function entryPointOf(path: string): EntryPoint | undefined {
  const asked = path.indexOf('?');
  const file = asked < 0 ? path : path.slice(0, asked);
  for (const { file: end, framework } of BY_NAME.get(nameOf(file)) ?? []) {
    if (!file.endsWith(end)) continue;
    const manifest = manifestIn(file.slice(0, -end.length));
    if (manifest?.name === framework.package && typeof manifest.version === 'string') {
      return { framework, version: manifest.version };
    }
  }
  return undefined;
}

function manifestIn(root: string): { name?: unknown; version?: unknown } | undefined {
  if (manifests.has(root)) return manifests.get(root);
  let manifest: { name?: unknown; version?: unknown } | undefined;
  try {
    const path = root.startsWith('file:') ? new URL(`${root}/package.json`) : `${root}/package.json`;
    manifest = JSON.parse(process.getBuiltinModule('node:fs').readFileSync(path, 'utf8'));
  } catch {
    // A folder of sources, and no package.
  }
  manifests.set(root, manifest);
  return manifest;
}

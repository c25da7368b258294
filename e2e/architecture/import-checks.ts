import { posix } from 'node:path';
import { FOLDER_IMPORTS, FORBIDDEN_MODULES, PACKAGE_IMPORTS, PACKAGE_NAMES, SHARED_TYPES } from './rules.js';
import { importsOf, type SourceFile } from './source-tree.js';

/** A test, or what only tests use. */
const TEST = /\.test(-support)?$/;
const IN_PACKAGE = /^packages\/([^/]+)\/src\/(.+)\.tsx?$/;

interface Place {
  readonly pkg: string;
  /** First folder below `src`, or the name of a file at its top. */
  readonly folder: string;
  readonly isTest: boolean;
}

function placeOf(path: string): Place | undefined {
  const [, pkg, inside] = IN_PACKAGE.exec(path) ?? [];
  if (pkg === undefined || inside === undefined) return undefined;
  const [folder = inside] = inside.split('/');
  return { pkg, folder: folder.replace(TEST, ''), isTest: TEST.test(inside) };
}

/** The file a relative import names; of components too it is told without the `x`. */
function targetOf(from: string, specifier: string): string {
  return posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts');
}

const withoutX = (path: string) => path.replace(/\.tsx$/, '.ts');

/** The package of ours that a bare import names. */
function ownPackageOf(specifier: string): string | undefined {
  return Object.keys(PACKAGE_NAMES).find(
    (pkg) => specifier === PACKAGE_NAMES[pkg] || specifier.startsWith(`${PACKAGE_NAMES[pkg]}/`),
  );
}

function checkModule(path: string, place: Place, specifier: string): string[] {
  const own = ownPackageOf(specifier);
  if (own !== undefined) {
    // Another entry of its own, loaded only when it is needed, is a folder of its own.
    const entry = own === place.pkg ? specifier.split('/')[2] : undefined;
    if (entry !== undefined && (FOLDER_IMPORTS[place.pkg]?.[place.folder] ?? []).includes(entry)) return [];
    const allowed = PACKAGE_IMPORTS[place.pkg] ?? [];
    return allowed.includes(own) ? [] : [`${path}: ${place.pkg} must not import ${specifier}`];
  }
  if (place.isTest) return [];
  return FORBIDDEN_MODULES.filter(
    (rule) => (rule.in === place.pkg || rule.in === `${place.pkg}/${place.folder}`) && rule.module.test(specifier),
  ).map((rule) => `${path}: imports ${specifier}, but ${rule.why}`);
}

function checkRelative(path: string, place: Place, specifier: string, isType: boolean): string[] {
  if (specifier.endsWith('.css')) return [];
  if (isType && SHARED_TYPES[`${place.pkg}/${place.folder}`]?.includes(targetOf(path, specifier))) return [];
  const target = placeOf(targetOf(path, specifier));
  if (target?.pkg !== place.pkg) return [`${path}: ${specifier} leaves the sources of its package`];
  if (place.isTest || target.folder === place.folder) return [];
  if (target.isTest) return [`${path}: imports the test ${specifier}`];
  const allowed = FOLDER_IMPORTS[place.pkg]?.[place.folder] ?? [];
  if (allowed.includes('*') || allowed.includes(target.folder)) return [];
  return [`${path}: ${place.folder} must not import ${target.folder} (${specifier})`];
}

/** Faults in the arrows between packages and between folders. */
export function checkArrows(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const { path } = file;
    const place = placeOf(path);
    if (place === undefined) return [];
    if (PACKAGE_IMPORTS[place.pkg] === undefined) return [`${path}: package ${place.pkg} has no place in the rules`];
    if (!place.isTest && FOLDER_IMPORTS[place.pkg]?.[place.folder] === undefined) {
      return [`${path}: folder ${place.folder} of ${place.pkg} has no place in the rules`];
    }
    return importsOf(file).flatMap(({ specifier, isType }) =>
      specifier.startsWith('.') ? checkRelative(path, place, specifier, isType) : checkModule(path, place, specifier),
    );
  });
}

/** Import cycles between files at run time, each as `a → b → a`. Types do not count: they are gone when it runs. */
export function checkCycles(files: readonly SourceFile[]): string[] {
  const edges = new Map<string, string[]>();
  for (const file of files.filter(({ path }) => placeOf(path) !== undefined)) {
    const targets = importsOf(file).filter(({ specifier, isType }) => !isType && specifier.startsWith('.'));
    edges.set(
      withoutX(file.path),
      targets.map(({ specifier }) => targetOf(file.path, specifier)),
    );
  }
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) cycles.push([...trail.slice(at), path].join(' → '));
    if (at >= 0 || done.has(path)) return;
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) visit(path, []);
  return cycles;
}

/** How many files, and how many imports between folders and packages, the checks above look at. */
export function countImports(files: readonly SourceFile[]): { files: number; imports: number } {
  const own = files.filter(({ path }) => placeOf(path) !== undefined);
  return { files: own.length, imports: own.reduce((sum, file) => sum + importsOf(file).length, 0) };
}

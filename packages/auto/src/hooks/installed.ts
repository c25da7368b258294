import { FRAMEWORKS } from '../frameworks.js';

const STORES = ['', '.pnpm/node_modules/'];

/** Whether a framework stands in a `node_modules` where the program, or what it was started in, looks for packages. */
export function hasFramework(program: string | undefined, cwd: string): boolean {
  // There is no folder to look into.
  if ('pnp' in process.versions) return true;
  const fs = process.getBuiltinModule('node:fs');
  const { dirname, join } = process.getBuiltinModule('node:path');
  const names = [...new Set(FRAMEWORKS.flatMap((framework) => [framework.package, framework.peer ?? []].flat()))];
  const looked = new Set<string>();
  const starts = [cwd];
  try {
    if (program !== undefined) starts.push(dirname(program), dirname(fs.realpathSync(program)));
  } catch {
    // A program that is no file.
  }
  for (let folder of starts) {
    for (; !looked.has(folder); folder = dirname(folder)) {
      looked.add(folder);
      const modules = join(folder, 'node_modules');
      if (!fs.existsSync(modules)) continue;
      if (STORES.some((store) => names.some((name) => fs.existsSync(join(modules, store, name))))) return true;
    }
  }
  return false;
}

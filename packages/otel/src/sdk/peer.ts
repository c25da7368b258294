import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ObserverError } from '@hermes-observer/core';

// The copy that an `import` of the package gives, where it has another one for `require`. What is registered with that
// would be hidden from what the program has got of the first before.

/**
 * An optional peer package, loaded when first used.
 * @throws ObserverError `HO_PEER_MISSING`, which names the package to install and what it is needed for.
 */
export function loadPeer<T>(name: string, need: string, from: ImportMeta = import.meta): T {
  const require = createRequire(from.url);
  try {
    return require(canRequireModules ? pathForImport(name, from) : name) as T;
  } catch (cause) {
    throw new ObserverError('HO_PEER_MISSING', `${need} needs the package ${name}: npm install ${name}`, { cause });
  }
}

/** Node.js 22 before 22.12 requires CommonJS only. */
const canRequireModules = (process.features as { require_module?: boolean }).require_module === true;

/** Some runners of tests have no `import.meta.resolve`. */
const pathForImport = (name: string, from: ImportMeta) =>
  typeof from.resolve === 'function' ? fileURLToPath(from.resolve(name)) : name;

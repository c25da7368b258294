import { createRequire } from 'node:module';
import { ObserverError } from '@hermes-observer/core';

/**
 * An optional peer package, or a module of it, loaded when first used.
 *
 * @param from where it is looked for; left out: beside this package
 * @throws ObserverError `HO_PEER_MISSING`, which names the package to install and what it is needed for.
 */
export function loadPeer<T>(module: string, need: string, from: string | URL = import.meta.url): T {
  try {
    return createRequire(from)(module) as T;
  } catch (cause) {
    const [name] = /^(@[^/]+\/)?[^/]+/.exec(module) ?? [module];
    throw new ObserverError('HO_PEER_MISSING', `${need} needs the package ${name}: npm install ${name}`, { cause });
  }
}

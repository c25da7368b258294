import { createRequire } from 'node:module';
import { ObserverError } from '@hermes-observer/core';

const require = createRequire(import.meta.url);

/**
 * An optional peer package, loaded when first used.
 * @throws ObserverError `HO_PEER_MISSING`, which names the package to install and what it is needed for.
 */
export function loadPeer<T>(name: string, need: string): T {
  try {
    return require(name) as T;
  } catch (cause) {
    throw new ObserverError('HO_PEER_MISSING', `${need} needs the package ${name}: npm install ${name}`, { cause });
  }
}

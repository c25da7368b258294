import { demandOption } from '../option-kinds.js';
import type { TriedAdapter } from './adapter.js';
import { conformanceCases } from './cases.js';
import type { TestObserver } from './scene.js';

/** `test` of `node:test`, or `test` and `it` of Vitest, Jest and Mocha. */
export type TestFunction = (name: string, fn: () => Promise<void>) => unknown;

/**
 * Makes a test of each case of an adapter.
 *
 * ```ts
 * import { test } from 'node:test';
 *
 * describeAdapter(test, { name, createObserver, install, approvals: 'same turn', play: { plainTurn: async (scene) => … } });
 * ```
 *
 * Cases that are skipped make no test: their reasons are returned, by name.
 *
 * @throws ObserverError `HO_OPTION` where the adapter is not described as it must be.
 */
export function describeAdapter<O extends TestObserver>(
  test: TestFunction,
  adapter: TriedAdapter<O>,
): Readonly<Record<string, string>> {
  demandOption(typeof test === 'function', 'describeAdapter: pass a function that makes a test, and then the adapter.');
  const skipped: Record<string, string> = {};
  for (const { name, skipped: reason, run } of conformanceCases(adapter)) {
    if (reason === undefined) test(`${adapter.name}: ${name}`, run);
    else skipped[name] = reason;
  }
  return skipped;
}

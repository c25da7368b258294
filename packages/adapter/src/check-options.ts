import { checkKinds, demandOption, type OptionKind } from '@hermes-observer/core';
import { isHost } from './host.js';

/** An option that must be there. */
export interface NeededOption {
  readonly is: (value: unknown) => boolean;
  /** What follows on `must`, such as `be a module`. */
  readonly must: string;
  readonly isNeeded: true;
}

/** What an adapter knows of its options, but for `observer` and `onWarning`, which each adapter has. */
export type KnownOptions<Options extends object = object> = Readonly<
  Record<Exclude<keyof Options & string, 'observer' | 'onWarning'>, OptionKind | NeededOption>
>;

const OBSERVER: OptionKind = { is: isHost, must: 'be an observer, as createObserver() gives it' };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Finds what is wrong with the options of an adapter before anything is observed: later it would be an observer that hears
 * nothing. Options that are `undefined` are as if absent.
 *
 * @param called what the program calls, such as `instrumentAiSdk`
 * @throws ObserverError `HO_OPTION`
 */
export function checkOptions(called: string, options: unknown, known: KnownOptions): void {
  demandOption(!isHost(options), `${called}: options are an observer; pass { observer } in its place.`);
  for (const [name, kind] of Object.entries<OptionKind | NeededOption>(known)) {
    if (typeof kind !== 'object' || !('isNeeded' in kind)) continue;
    const isThere = isObject(options) && (options as Readonly<Record<string, unknown>>)[name] !== undefined;
    demandOption(isThere, `${called}: the option ${name} is missing; it must ${kind.must}.`);
  }
  if (options === undefined) return;
  demandOption(isObject(options) && !Array.isArray(options), `${called}: options must be an object.`);
  checkKinds(options, { observer: OBSERVER, ...known, onWarning: 'function' }, `${called}: `);
}

/**
 * For functions such as `withTurn(info, fn)`, of which the first argument is forgotten.
 *
 * @throws ObserverError `HO_OPTION`
 */
export function checkCallback(called: string, info: unknown, fn: unknown): void {
  demandOption(isObject(info) && typeof fn === 'function', `${called}: pass an object, and then a function to call.`);
}

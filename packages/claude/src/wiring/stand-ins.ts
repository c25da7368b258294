import { type AdapterHost, hasMethods, processWide } from '@hermes-observer/adapter';
import { type Fields, fieldsOf } from '../sdk/fields.js';

/** For whom something stands in options, and in place of what; `undefined`: the program has nothing there. */
export interface StandIn {
  readonly original: unknown;
  readonly host: AdapterHost;
  /** The run of these options is told by a query that is observed, and not by hooks alone. */
  readonly isOfQuery: boolean;
}

/** One for the process: `@hermes-observer/auto` may have observed a query by another copy of this package. */
const STAND_INS = Symbol.for('hermes.observer.claude.stand-ins.1');

const standIns = (): WeakMap<object, StandIn> =>
  processWide(STAND_INS, hasMethods('get', 'set'), () => new WeakMap<object, StandIn>());

export function standsIn(value: object, standIn: StandIn): void {
  standIns().set(value, standIn);
}

const standInOf = (value: unknown): StandIn | undefined =>
  (typeof value === 'object' && value !== null) || typeof value === 'function' ? standIns().get(value) : undefined;

/** What the program has in place of it, if it stands there for this host. Those of other hosts stay. */
export function originalOf(value: unknown, host: AdapterHost): unknown {
  const known = standInOf(value);
  return known?.host === host ? known.original : value;
}

/** Whether an entry is of an adapter alone, for whichever host. */
export function isAdded(entry: unknown): boolean {
  const known = standInOf(entry);
  return known !== undefined && known.original === undefined;
}

/** Whether an observed query, further out, tells this host of the run with these options already. */
export function isToldBefore(options: Fields, host: AdapterHost): boolean {
  return Object.values(fieldsOf(options.hooks)).some(
    (entries) =>
      Array.isArray(entries) &&
      entries.some((entry) => {
        const known = standInOf(entry);
        return known?.isOfQuery === true && known.host === host;
      }),
  );
}

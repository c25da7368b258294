import { ObserverError } from '../errors.js';

/** One registered callback. */
export interface Registration<Callback> {
  readonly hook: string;
  readonly callback: Callback;
  /** Shown in reports and in `by`. */
  readonly name: string;
  readonly priority: number;
  /** Of a responder: its own time limit; `undefined`: the asker's. */
  readonly timeoutMs: number | undefined;
}

export interface RegistrationOptions {
  /** Lower runs first; ties run in order of registration. @default 0 */
  priority?: number | undefined;
  /** Shown in reports and in the `by` of an answer. @default the function's own name, else `anonymous` */
  name?: string | undefined;
  /**
   * Of a responder: milliseconds for its answer, whatever the asker says. `Infinity`: no limit, for one that waits for a
   * person; the asker's signal ends it still. @default the asker's `timeoutMs`
   */
  timeoutMs?: number | undefined;
}

/** A checked registration. Throws `HO_HOOK_NAME`, `HO_CALLBACK` or `HO_OPTION`. */
export function registration<Callback>(
  hook: string,
  callback: Callback,
  options: RegistrationOptions | undefined,
  owner: string | undefined,
): Registration<Callback> {
  if (typeof hook !== 'string' || hook === '') {
    throw new ObserverError('HO_HOOK_NAME', `A hook's name must be a non-empty string, got ${describe(hook)}.`);
  }
  if (typeof callback !== 'function') {
    throw new ObserverError('HO_CALLBACK', `The callback for ${hook} must be a function, got ${describe(callback)}.`);
  }
  const priority = options?.priority ?? 0;
  if (typeof priority !== 'number' || Number.isNaN(priority)) {
    throw new ObserverError(
      'HO_OPTION',
      `priority of a callback for ${hook} must be a number, got ${describe(priority)}.`,
    );
  }
  const timeoutMs = options?.timeoutMs;
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 0)) {
    throw new ObserverError(
      'HO_OPTION',
      `timeoutMs of a callback for ${hook} must be a number of milliseconds, got ${describe(timeoutMs)}.`,
    );
  }
  return { hook, callback, name: options?.name ?? callbackName(callback, owner), priority, timeoutMs };
}

function callbackName(callback: unknown, owner: string | undefined): string {
  const own: unknown = (callback as { name?: unknown }).name;
  const name = typeof own === 'string' && own !== '' ? own : undefined;
  return owner === undefined ? (name ?? 'anonymous') : name === undefined ? owner : `${owner}:${name}`;
}

/** A new list with `entry` behind all that run before it. The old list stays as it was, for a run that is going on. */
export function withEntry<Entry extends { readonly priority: number }>(
  list: readonly Entry[],
  entry: Entry,
): readonly Entry[] {
  let at = list.length;
  while (at > 0 && (list[at - 1] as Entry).priority > entry.priority) at--;
  return list.toSpliced(at, 0, entry);
}

function describe(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : value === null ? 'null' : typeof value;
}

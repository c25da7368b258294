/**
 * What went wrong: a subscriber threw or rejected; a payload function threw; callbacks emitted in a circle; a hook's name
 * was none; a responder threw, rejected or ran out of time; its answer was of no known shape; a plugin's set-up or
 * clean-up failed.
 */
export type FailureKind = 'observer' | 'payload' | 'recursion' | 'hook_name' | 'responder' | 'directive' | 'plugin';

/** A failure the hub kept from the host. Reported once for each hook, callback and name of error; repeats are counted. */
export interface FailureReport {
  kind: FailureKind;
  hook: string;
  /** Name of the callback or plugin; `''` where none was at work. */
  callback: string;
  /** What was thrown. May be anything, and its text may quote what the callback was given. */
  error: unknown;
  /** One line for a log: what failed and where, without the text of the error. */
  message: string;
}

export type FailureCounts = Record<FailureKind, number>;

/** Kinds of failure remembered as reported; beyond, they are counted only. */
const MOST_REPORTED = 1000;

/** Counts failures and reports each kind once. Never throws. */
export class FailureLog {
  readonly counts: FailureCounts = {
    observer: 0,
    payload: 0,
    recursion: 0,
    hook_name: 0,
    responder: 0,
    directive: 0,
    plugin: 0,
  };
  readonly #reported = new Set<string>();
  readonly #onError: (report: FailureReport) => void;

  constructor(onError: ((report: FailureReport) => void) | undefined) {
    this.#onError = onError ?? warn;
  }

  add(kind: FailureKind, hook: string, callback: string, error: unknown): void {
    this.counts[kind]++;
    try {
      const name = errorName(error);
      const key = `${kind}\0${hook}\0${callback}\0${name}`;
      if (this.#reported.has(key) || this.#reported.size >= MOST_REPORTED) return;
      this.#reported.add(key);
      const where = callback === '' ? hook : `${callback} (${hook})`;
      const message = `${kind} failure in ${where}: ${name}${detailOf(kind, error)}; more of this kind are only counted`;
      this.#onError({ kind, hook, callback, error, message });
    } catch {
      // A reporter that throws is not worth more than a failure of its own kind, which is counted above.
    }
  }
}

function warn(report: FailureReport): void {
  process.emitWarning(report.message, { type: 'HermesObserverWarning' });
}

function errorName(error: unknown): string {
  try {
    const name: unknown = (error as { name?: unknown } | null | undefined)?.name;
    return typeof name === 'string' && name !== '' ? name.slice(0, 100) : typeof error;
  } catch {
    return 'unreadable';
  }
}

/** Of these kinds the hub makes the error itself, so its text holds nothing of anybody's. */
const OWN_ERRORS: ReadonlySet<FailureKind> = new Set(['recursion', 'hook_name', 'directive']);
const LONGEST_PLACE = 300;

/** What a log may say of an error: the hub's own text, else where it was made. */
function detailOf(kind: FailureKind, error: unknown): string {
  try {
    const { name, message, stack } = error as { name: unknown; message: unknown; stack: unknown };
    if (OWN_ERRORS.has(kind)) return `: ${String(message)}`;
    // The stack begins with the text of the error, which could hold a line that looks like a place.
    const head = message === '' ? String(name) : `${String(name)}: ${String(message)}`;
    if (typeof stack !== 'string' || !stack.startsWith(head)) return '';
    const place = /^\s+at (.+)$/m.exec(stack.slice(head.length))?.[1];
    return place === undefined ? '' : ` at ${place.slice(0, LONGEST_PLACE)}`;
  } catch {
    return '';
  }
}

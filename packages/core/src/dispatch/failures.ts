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
  /** What was thrown. May be anything. */
  error: unknown;
  /** One line for a log. */
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
      const message = `${kind} failure in ${where}: ${name}: ${errorText(error)}; more of this kind are only counted`;
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

const LONGEST_TEXT = 300;

function errorText(error: unknown): string {
  try {
    const message: unknown = (error as { message?: unknown } | null | undefined)?.message;
    return (typeof message === 'string' ? message : String(error)).slice(0, LONGEST_TEXT);
  } catch {
    return 'unreadable';
  }
}

import type { PolicyFailure } from './options.js';

/** Tells of what could not decide, each hook and kind once where nobody listens. Never throws. */
export class Failures {
  readonly #listener: ((failure: PolicyFailure) => void) | undefined;
  readonly #told = new Set<string>();
  count = 0;

  constructor(listener: ((failure: PolicyFailure) => void) | undefined) {
    this.#listener = listener;
  }

  add(failure: PolicyFailure): void {
    this.count++;
    try {
      if (this.#listener !== undefined) {
        this.#listener(failure);
        return;
      }
      const { gate, event, kind } = failure;
      const key = `${event} ${gate} ${kind}`;
      if (this.#told.has(key)) return;
      this.#told.add(key);
      const who = gate === '' ? 'the store of approvals' : `hook ${gate} (${event})`;
      const what = kind === 'hook_timeout' ? 'did not answer in time' : 'failed';
      process.emitWarning(`${who} ${what}; more of this kind are only counted`, { type: 'HermesObserverWarning' });
    } catch {
      // A listener that throws changes nothing of what was decided.
    }
  }
}

import { type Fields, fieldsOf } from '../sdk/events.js';
import { Handlers6, type Watcher } from './handlers-6.js';

type Handler = (event: unknown) => void;
type Step = 'start' | 'stepStart' | 'toolStart' | 'toolEnd' | 'stepEnd' | 'end';

/**
 * What AI SDK 6 finds among its integrations: one object for all observers, for what it is called for first is entered in the
 * SDK's own function, and what it is called for later is not.
 *
 * 6 reads each handler once for a run, `onStart` first and `onFinish` last, without a break. So the reader makes the
 * handlers of that run. 7 reads the same names with `onStepEnd` among them, and tells everything with a `callId`; it needs none of
 * this.
 */
export class Integration6 {
  readonly #watchers: ReadonlySet<Watcher>;
  #reading: readonly [Watcher, Handlers6][] | undefined;
  #isVersion7 = false;

  constructor(watchers: ReadonlySet<Watcher>) {
    this.#watchers = watchers;
  }

  get onStart(): Handler | undefined {
    if (this.#isVersion7) {
      this.#isVersion7 = false;
      return undefined;
    }
    this.#reading = [...this.#watchers].map((watcher) => [watcher, new Handlers6(watcher)]);
    return this.#handler('start');
  }

  get onStepStart(): Handler | undefined {
    return this.#handler('stepStart');
  }

  get onToolCallStart(): Handler | undefined {
    return this.#handler('toolStart');
  }

  get onToolCallFinish(): Handler | undefined {
    return this.#handler('toolEnd');
  }

  get onStepFinish(): Handler | undefined {
    return this.#handler('stepEnd');
  }

  get onFinish(): Handler | undefined {
    const handler = this.#handler('end');
    this.#reading = undefined;
    return handler;
  }

  /** Read by 7 alone: by some of its versions before `onStart`, by others after. */
  get onStepEnd(): undefined {
    this.#isVersion7 = this.#reading === undefined;
    this.#reading = undefined;
    return undefined;
  }

  #handler(step: Step): Handler | undefined {
    const run = this.#reading;
    if (run === undefined) return undefined;
    return (event) => {
      const fields: Fields = fieldsOf(event);
      if (fields.callId !== undefined) return;
      for (const [{ guard }, handlers] of run) {
        try {
          handlers[step](fields);
        } catch (error) {
          guard.note(error);
        }
      }
    };
  }
}

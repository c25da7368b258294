import { type AbortListener, whenAborted } from './abort-listeners.js';
import type { ActiveSpan } from './active-span.js';
import { quietly } from './settle.js';

/** How a stream ended: to its end; left early, cancelled or aborted; broken. */
export type StreamOutcome = 'done' | 'left' | 'failed';

export interface StreamListener {
  /** A chunk came; `first` for the first one. */
  chunk(value: unknown, first: boolean): void;
  /** A method of the stream gave this. True: it is the whole answer, and the stream is over. */
  whole?(value: unknown): boolean;
  /** Called once. */
  ended(outcome: StreamOutcome, error: unknown): void;
}

/**
 * Follows one stream, whichever way it is consumed. The first consumer that gets a chunk is the one followed: a second
 * iteration, or the other branch of a `tee`, is not counted again.
 */
export class StreamWatch implements AbortListener {
  readonly #place: ActiveSpan;
  readonly #listener: StreamListener;
  readonly #forget: (() => void) | undefined;
  #source: object | undefined = undefined;
  #open = true;

  constructor(place: ActiveSpan, listener: StreamListener, signal: AbortSignal | undefined) {
    this.#place = place;
    this.#listener = listener;
    this.#forget = signal === undefined ? undefined : whenAborted(signal, this);
  }

  /**
   * Asks a source for its next chunk, inside the span, so that what a generator does on the way hangs below it. Value
   * and error pass unchanged. `left`: the consumer is leaving, an error or end of the source is its answer to that.
   */
  step(source: object, ask: () => unknown, left = false): Promise<unknown> {
    return new Promise((resolve) => resolve(this.#place.run(ask))).then(
      (result) => {
        quietly(() => this.#came(source, result, left));
        return result;
      },
      (error: unknown) => {
        this.#end(source, left ? 'left' : 'failed', error);
        throw error;
      },
    );
  }

  #came(source: object, result: unknown, left: boolean): void {
    if (!this.#open) return;
    const { done, value } = (result ?? {}) as { done?: unknown; value?: unknown };
    if (done) this.#end(source, left ? 'left' : 'done', undefined);
    else if (this.#source === undefined || this.#source === source) {
      const first = this.#source === undefined;
      this.#source = source;
      this.#listener.chunk(value, first);
    }
  }

  #end(source: object, outcome: StreamOutcome, error: unknown): void {
    if (this.#source === undefined || this.#source === source) this.close(outcome, error);
  }

  /** A method of the stream promised this. `last`: it waits for the stream's end, whatever it then gives. */
  promised(promise: Promise<unknown>, last: boolean): void {
    promise.then(
      (value) => quietly(() => this.#whole(value, last)),
      (error: unknown) => last && this.close('failed', error),
    );
  }

  #whole(value: unknown, last: boolean): void {
    if (this.#open && (this.#listener.whole?.(value) === true || last)) this.close('done', undefined);
  }

  aborted(): void {
    this.close('left', undefined);
  }

  /** The stream is over; only the first call counts. */
  close(outcome: StreamOutcome, error: unknown): void {
    if (!this.#open) return;
    this.#open = false;
    this.#forget?.();
    quietly(() => this.#listener.ended(outcome, error));
  }
}

import type { Trace } from './trace.js';

/** Which trace the records belong to, for who keeps records as long as their trace needs them; and when they came. */
export class TraceWatch {
  /** The trace that the newest record belongs to; who reads it sets it to `undefined` before the next record. */
  trace: Trace | undefined = undefined;
  /** When the records that are handled now came in, in milliseconds of a monotonic clock that the caller knows. */
  arrival = 0;
  #last = 0;

  /** Serial of the newest trace. */
  get last(): number {
    return this.#last;
  }

  nextSerial(): number {
    return ++this.#last;
  }
}

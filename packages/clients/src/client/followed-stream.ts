import { fieldsOf } from '../answer/fields.js';
import type { StreamedAnswer } from '../answer/protocol.js';
import type { ClientCall } from './client-call.js';

/** A stream of a client: `iterator` is what all ways of reading it come by, `tee()` and `toReadableStream()` included. */
interface ClientStream {
  iterator: () => AsyncIterator<unknown>;
  readonly controller?: AbortController | undefined;
}

const followed = new WeakSet<object>();

const isStream = (value: unknown): value is ClientStream => {
  const { iterator, controller } = fieldsOf(value);
  return typeof iterator === 'function' && typeof controller === 'object';
};

/** Has calls told of an answer: at once, or as it is read. The stream stays the same object; nothing is read before the program reads. */
export function followAnswer(value: unknown, calls: readonly ClientCall[]): void {
  if (!isStream(value)) {
    for (const call of calls) call.guard.safely(() => call.answered(value));
    return;
  }
  if (followed.has(value)) return;
  followed.add(value);
  const iterate = value.iterator;
  let reader: AsyncIterator<unknown> | undefined;
  value.iterator = function (this: ClientStream) {
    const inner = iterate.call(this);
    // Whoever reads it a second time gets an error of the client, which is none of the request.
    const reads = () => {
      reader ??= inner;
      return reader === inner;
    };
    return calls.reduce((iterator, call) => followIterator(iterator, call, reads, value.controller?.signal), inner);
  };
}

/** An iterator that behaves as `inner` does, and tells the call. */
function followIterator(
  inner: AsyncIterator<unknown>,
  call: ClientCall,
  reads: () => boolean,
  signal: AbortSignal | undefined,
): AsyncIterator<unknown> {
  const { guard } = call;
  const answer = guard.safely(() => call.streamed());
  if (answer === undefined) return inner;
  const follower = new StreamFollower(call, answer, signal);
  // Made once and not for each part: there are many.
  const told = (result: IteratorResult<unknown>) => {
    try {
      if (result.done === true) follower.done();
      else call.part(answer, result.value);
    } catch (error) {
      guard.note(error);
    }
    return result;
  };
  const failed = (error: unknown): never => {
    guard.safely(() => call.failed(error));
    throw error;
  };
  return Object.create(inner, {
    next: {
      value: (...args: [] | [unknown]) => (reads() ? inner.next(...args).then(told, failed) : inner.next(...args)),
    },
    return: {
      value: (value?: unknown) => {
        if (reads()) guard.safely(() => follower.left());
        return inner.return?.(value) ?? Promise.resolve({ value, done: true });
      },
    },
    throw: {
      value: (error?: unknown) => {
        if (reads()) guard.safely(() => follower.left());
        return inner.throw?.(error) ?? Promise.reject(error);
      },
    },
  });
}

/** How the reading of a stream ends. */
export class StreamFollower {
  readonly #call: ClientCall;
  readonly #answer: StreamedAnswer;
  readonly #signal: AbortSignal | undefined;

  constructor(call: ClientCall, answer: StreamedAnswer, signal: AbortSignal | undefined) {
    this.#call = call;
    this.#answer = answer;
    this.#signal = signal;
  }

  /** It ended. A stream that is aborted ends as any other, only sooner. */
  done(): void {
    const { answer, isComplete } = this.#answer;
    if (this.#signal?.aborted === true && !isComplete) this.#call.cancelled(answer);
    else this.#call.ended(answer);
  }

  /** The program reads no further. */
  left(): void {
    const { answer, isComplete } = this.#answer;
    if (isComplete) this.#call.ended(answer);
    else this.#call.cancelled(answer);
  }
}

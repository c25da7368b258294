/** Told what an iterable gives. May not throw. */
export interface IterableListener {
  part(part: unknown): void;
  done(): void;
  failed(error: unknown): void;
  left(): void;
}

/** Runs code where the iterable's own code is to run. */
type Enter = <T>(fn: () => T) => T;

/**
 * An async iterable that gives the same, and tells of it. A generator runs where its `next` is called, so each of its steps
 * is entered. Nothing is read before it is asked for, and nothing is kept.
 */
export function watchIterable(source: AsyncIterable<unknown>, enter: Enter, listener: IterableListener) {
  let inner: AsyncIterator<unknown> | undefined;
  const open = (): AsyncIterator<unknown> => {
    inner ??= source[Symbol.asyncIterator]();
    return inner;
  };
  const told = (result: IteratorResult<unknown>): IteratorResult<unknown> => {
    if (result.done === true) listener.done();
    else listener.part(result.value);
    return result;
  };
  const failed = (error: unknown): never => {
    listener.failed(error);
    throw error;
  };
  const step = async (fn: () => PromiseLike<IteratorResult<unknown>> | undefined) => {
    try {
      return await enter(fn);
    } catch (error) {
      return failed(error);
    }
  };
  const watched: AsyncIterableIterator<unknown> = {
    async next(...args: [] | [unknown]) {
      return told((await step(() => open().next(...args))) as IteratorResult<unknown>);
    },
    async return(value?: unknown) {
      listener.left();
      return (await step(() => open().return?.(value))) ?? { done: true, value };
    },
    async throw(error?: unknown) {
      const { throw: raise } = open();
      if (raise === undefined) return failed(error);
      return told((await step(() => Reflect.apply(raise, open(), [error]))) as IteratorResult<unknown>);
    },
    [Symbol.asyncIterator]: () => watched,
  };
  return watched;
}

import type { StreamListener } from '@hermes-observer/adapter';

/** Runs code where the iterable's own code is to run. */
type Enter = <T>(fn: () => T) => T;

type Step = Promise<IteratorResult<unknown>>;

/**
 * An async iterable that gives the same, and tells of it. A generator runs where its `next` is called, so each of its steps
 * is entered. Nothing is read before it is asked for, and nothing is kept.
 */
export function watchIterable(
  source: AsyncIterable<unknown>,
  enter: Enter,
  listener: StreamListener,
): AsyncIterableIterator<unknown> {
  let inner: AsyncIterator<unknown> | undefined;
  const open = (): AsyncIterator<unknown> => {
    inner ??= source[Symbol.asyncIterator]();
    return inner;
  };
  const pull = () => open().next();
  const told = (result: IteratorResult<unknown>): IteratorResult<unknown> => {
    if (result.done === true) listener.done();
    else listener.part(result.value);
    return result;
  };
  const failed = (error: unknown): never => {
    listener.failed(error);
    throw error;
  };
  const step = (fn: () => PromiseLike<IteratorResult<unknown>>): Step => {
    try {
      return Promise.resolve(enter(fn)).then(told, failed);
    } catch (error) {
      listener.failed(error);
      return Promise.reject(error);
    }
  };
  const watched: AsyncIterableIterator<unknown> = {
    next: (...args: [] | [unknown]) => step(args.length === 0 ? pull : () => open().next(...args)),
    async return(value?: unknown) {
      listener.left();
      return (await enter(async () => open().return?.(value))) ?? { done: true, value };
    },
    throw(error?: unknown) {
      return step(() => {
        const { throw: raise } = open();
        return raise === undefined ? Promise.reject(error) : Reflect.apply(raise, open(), [error]);
      });
    },
    [Symbol.asyncIterator]: () => watched,
  };
  return watched;
}

import { type Guard, passingReadable, type StreamListener } from '@hermes-observer/adapter';

/**
 * Has a listener, which may throw, told of what is read from a body, which stays the same object. Nothing is read before
 * somebody reads, and nothing is kept. Who reads into a buffer of their own is not followed.
 */
export function followReadable(stream: unknown, guard: Guard, told: StreamListener): void {
  if (!(stream instanceof ReadableStream) || stream.locked) return;
  const listener = guarded(told, guard);
  const getReader = stream.getReader.bind(stream) as (...args: unknown[]) => ReadableStreamDefaultReader;
  let copy: ReadableStream | undefined;
  const opened = (): ReadableStream => {
    copy ??= passingReadable(getReader(), listener);
    return copy;
  };
  for (const name of ['getReader', 'pipeThrough', 'pipeTo', 'tee', 'values', Symbol.asyncIterator] as const) {
    const value = (...args: unknown[]) => {
      if (name === 'getReader' && args[0] !== undefined) {
        listener.left();
        return getReader(...args);
      }
      const target = opened() as unknown as Record<string | symbol, (...args: unknown[]) => unknown>;
      return target[name]?.(...args);
    };
    Object.defineProperty(stream, name, { value, configurable: true, writable: true });
  }
  const cancel = stream.cancel.bind(stream);
  const value = (reason?: unknown) => {
    if (copy !== undefined) return copy.cancel(reason);
    listener.left();
    return cancel(reason);
  };
  Object.defineProperty(stream, 'cancel', { value, configurable: true, writable: true });
}

const guarded = (listener: StreamListener, guard: Guard): StreamListener => ({
  part: (chunk) => void guard.safely(() => listener.part(chunk)),
  done: () => void guard.safely(() => listener.done()),
  failed: (error) => void guard.safely(() => listener.failed(error)),
  left: () => void guard.safely(() => listener.left()),
});

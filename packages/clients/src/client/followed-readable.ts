import type { Guard } from '@hermes-observer/adapter';

/** Told what a stream of bytes gives. */
interface ReadableListener {
  part(chunk: unknown): void;
  done(): void;
  failed(error: unknown): void;
  left(): void;
}

/**
 * Has `listener` told of what is read from a body, which stays the same object. Nothing is read before somebody reads, and
 * nothing is kept. Who reads into a buffer of their own is not followed.
 */
export function followReadable(stream: unknown, guard: Guard, listener: ReadableListener): void {
  if (!(stream instanceof ReadableStream) || stream.locked) return;
  const getReader = stream.getReader.bind(stream) as (...args: unknown[]) => ReadableStreamDefaultReader;
  let copy: ReadableStream | undefined;
  const opened = (): ReadableStream => {
    copy ??= passing(getReader(), guard, listener);
    return copy;
  };
  for (const name of ['getReader', 'pipeThrough', 'pipeTo', 'tee', 'values', Symbol.asyncIterator] as const) {
    const value = (...args: unknown[]) => {
      if (name === 'getReader' && args[0] !== undefined) {
        guard.safely(() => listener.left());
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
    guard.safely(() => listener.left());
    return cancel(reason);
  };
  Object.defineProperty(stream, 'cancel', { value, configurable: true, writable: true });
}

function passing(reader: ReadableStreamDefaultReader, guard: Guard, listener: ReadableListener): ReadableStream {
  return new ReadableStream(
    {
      async pull(controller) {
        let next: { done: boolean; value?: unknown };
        try {
          next = await reader.read();
        } catch (error) {
          guard.safely(() => listener.failed(error));
          throw error;
        }
        if (next.done) {
          guard.safely(() => listener.done());
          controller.close();
        } else {
          guard.safely(() => listener.part(next.value));
          controller.enqueue(next.value);
        }
      },
      cancel(reason) {
        guard.safely(() => listener.left());
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

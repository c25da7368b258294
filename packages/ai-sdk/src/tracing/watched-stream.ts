/** Told what a stream gives. May not throw. */
export interface StreamListener {
  part(part: unknown): void;
  done(): void;
  failed(error: unknown): void;
  left(): void;
}

const watched = new WeakSet<object>();

/**
 * Has `listener` told of what is read from a stream of the SDK, which stays the same object: it is handed on by several
 * ways, and only one of them passes here. Nothing is read before the SDK reads, and nothing is kept. False where it is no
 * stream that can be watched, or is watched already.
 */
export function watchStream(stream: unknown, listener: StreamListener): boolean {
  if (!(stream instanceof ReadableStream) || stream.locked || watched.has(stream)) return false;
  watched.add(stream);
  const getReader = stream.getReader.bind(stream);
  let copy: ReadableStream | undefined;
  const opened = (): ReadableStream => {
    copy ??= passing(getReader(), listener);
    return copy;
  };
  const methods = ['getReader', 'pipeThrough', 'pipeTo', 'tee', 'values', Symbol.asyncIterator] as const;
  for (const name of methods) {
    const value = (...args: unknown[]) => {
      const target = opened() as unknown as Record<string | symbol, (...args: unknown[]) => unknown>;
      return target[name]?.(...args);
    };
    Object.defineProperty(stream, name, { value, configurable: true, writable: true });
  }
  return true;
}

function passing(reader: ReadableStreamDefaultReader, listener: StreamListener): ReadableStream {
  return new ReadableStream(
    {
      async pull(controller) {
        let next: { done: boolean; value?: unknown };
        try {
          next = await reader.read();
        } catch (error) {
          listener.failed(error);
          throw error;
        }
        if (next.done) {
          listener.done();
          controller.close();
        } else {
          listener.part(next.value);
          controller.enqueue(next.value);
        }
      },
      cancel(reason) {
        listener.left();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

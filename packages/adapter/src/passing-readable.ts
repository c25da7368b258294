/** Told what a stream gives. May not throw. */
export interface StreamListener {
  part(part: unknown): void;
  done(): void;
  failed(error: unknown): void;
  /** Nobody reads on. */
  left(): void;
}

/** A stream that gives what `reader` does, and tells of it. Nothing is read before somebody reads, and nothing is kept. */
export function passingReadable(reader: ReadableStreamDefaultReader, listener: StreamListener): ReadableStream {
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

import { passingReadable, type StreamListener } from '@hermes-observer/adapter';

/** By stream, its listeners by whom they are for. */
const watched = new WeakMap<object, Map<object, StreamListener>>();

/**
 * Has `listener` told of what is read from a stream of the SDK, which stays the same object: it is handed on by several
 * ways, and only one of them passes here. Nothing is read before the SDK reads, and nothing is kept. False where it is no
 * stream that can be watched, or is watched for this `owner` already.
 */
export function watchStream(stream: unknown, owner: object, own: StreamListener): boolean {
  if (!(stream instanceof ReadableStream) || stream.locked) return false;
  const known = watched.get(stream);
  if (known?.has(owner)) return false;
  if (known !== undefined) {
    known.set(owner, own);
    return true;
  }
  const listeners = new Map([[owner, own]]);
  watched.set(stream, listeners);
  const listener = listenerOf(listeners);
  const getReader = stream.getReader.bind(stream);
  let copy: ReadableStream | undefined;
  const opened = (): ReadableStream => {
    copy ??= passingReadable(getReader(), listener);
    return copy;
  };
  const pipeThrough = (...args: Parameters<ReadableStream['pipeThrough']>) => {
    const [{ readable, writable }, options] = args;
    // As the SDK calls it. Then no stream stands between, which would cost as much again for each part.
    if (options !== undefined || copy !== undefined || writable.locked) return opened().pipeThrough(...args);
    void pump(getReader(), writable.getWriter(), listener);
    return readable;
  };
  Object.defineProperty(stream, 'pipeThrough', { value: pipeThrough, configurable: true, writable: true });
  const methods = ['getReader', 'pipeTo', 'tee', 'values', Symbol.asyncIterator] as const;
  for (const name of methods) {
    const value = (...args: unknown[]) => {
      const target = opened() as unknown as Record<string | symbol, (...args: unknown[]) => unknown>;
      return target[name]?.(...args);
    };
    Object.defineProperty(stream, name, { value, configurable: true, writable: true });
  }
  return true;
}

/** Nearly always there is one. */
const listenerOf = (all: ReadonlyMap<object, StreamListener>): StreamListener => ({
  part: (part) => {
    for (const listener of all.values()) listener.part(part);
  },
  done: () => {
    for (const listener of all.values()) listener.done();
  },
  failed: (error) => {
    for (const listener of all.values()) listener.failed(error);
  },
  left: () => {
    for (const listener of all.values()) listener.left();
  },
});

/** What `pipeTo` does, without its options. Never rejects. */
async function pump(
  reader: ReadableStreamDefaultReader,
  writer: WritableStreamDefaultWriter,
  listener: StreamListener,
): Promise<void> {
  let isOver = false;
  const gone = (reason: unknown): void => {
    if (isOver) return;
    isOver = true;
    listener.left();
    reader.cancel(reason).catch(ignore);
  };
  writer.closed.then(ignore, gone);
  let last: Promise<void> | undefined;
  while (!isOver) {
    try {
      if ((writer.desiredSize ?? 0) <= 0) await writer.ready;
    } catch {
      // `closed` tells of it as well.
      return;
    }
    let next: { done: boolean; value?: unknown };
    try {
      next = await reader.read();
    } catch (error) {
      if (isOver) return;
      isOver = true;
      listener.failed(error);
      await last?.catch(ignore);
      await writer.abort(error).catch(ignore);
      return;
    }
    if (isOver) return;
    if (next.done) {
      isOver = true;
      listener.done();
      await writer.close().catch(ignore);
      return;
    }
    listener.part(next.value);
    last = writer.write(next.value);
    last.catch(ignore);
  }
}

const ignore = (): void => {};

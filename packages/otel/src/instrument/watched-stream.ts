import { errorMonitor } from 'node:events';
import { isFixed, type Method, overlay, type Replacement } from './overlay.js';
import type { StreamWatch } from './stream-watch.js';
import { replaceStep, watchedIterator } from './watched-iterator.js';
import { replaceReadable } from './watched-readable.js';

/** An async iterable or a `ReadableStream`. One whose own iterator is frozen cannot be followed, and counts as none. */
export function isStream(value: unknown): value is object {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  try {
    const { [Symbol.asyncIterator]: iterate, getReader } = value as {
      [Symbol.asyncIterator]?: unknown;
      getReader?: unknown;
    };
    if (typeof iterate !== 'function' && typeof getReader !== 'function') return false;
    return !isFixed(value, Symbol.asyncIterator) && !isFixed(value, 'next');
  } catch {
    return false;
  }
}

interface NodeStream {
  readonly pipe: Method;
  once(event: string | symbol, listener: (error?: unknown) => void): unknown;
}

const isNodeStream = (stream: object): stream is NodeStream =>
  typeof (stream as Partial<NodeStream>).pipe === 'function' &&
  typeof (stream as Partial<NodeStream>).once === 'function';

/** The stream as its consumer gets it: it behaves as the original, and `watch` learns what comes and how it ends. */
export function watchedStream<T extends object>(stream: T, watch: StreamWatch): T {
  if (isNodeStream(stream)) {
    // It may be piped instead of iterated. None of these makes it flow or takes an error from those who listen for it.
    stream.once('end', () => watch.close('done', undefined));
    stream.once(errorMonitor, (error) => watch.close('failed', error));
    stream.once('close', () => watch.close('left', undefined));
    return overlay(stream, (key) =>
      key === Symbol.asyncIterator ? (method) => iterator(method(), stream, watch) : undefined,
    );
  }
  if (typeof (stream as { getReader?: unknown }).getReader === 'function') {
    return overlay(stream, (key) => replaceReadable(key, stream as ReadableStream, watch));
  }
  const proxy: T = overlay(stream, (key) => replaceIterable(key, stream, () => proxy, watch));
  return proxy;
}

function replaceIterable(
  key: PropertyKey,
  stream: object,
  proxy: () => object,
  watch: StreamWatch,
): Replacement | undefined {
  switch (key) {
    case Symbol.asyncIterator:
      return (method, args) => iterator(method(...args), stream, watch);
    case 'next':
    case 'return':
    case 'throw':
      return replaceStep(key, stream, watch);
    case 'toReadableStream':
      // Model SDKs iterate `this` in it: the overlay, so that the chunks are seen as what they are.
      return (_method, args) => Reflect.apply(Reflect.get(stream, key, stream) as Method, proxy(), args);
    default:
      return (method, args) => derived(key, method(...args), stream, watch);
  }
}

/** Methods by which the model SDKs wait for the end of a stream: `done()`, `finalMessage()`, `finalContent()` … */
const LAST = /^(done|final[A-Z]\w*)$/;

/** What a method of the stream returned: branches of a `tee`, an iterator, a promise of the whole answer. */
function derived(key: PropertyKey, result: unknown, stream: object, watch: StreamWatch): unknown {
  if (result === stream) return result;
  if (Array.isArray(result) && result.length === 2 && result.every(isStream)) {
    return result.map((branch: object) => watchedStream(branch, watch));
  }
  if (result instanceof Promise) watch.promised(result, typeof key === 'string' && LAST.test(key));
  return isStream(result) ? watchedStream(result, watch) : result;
}

/** An iterator of the stream; the stream itself when it is its own. */
function iterator(result: unknown, stream: object, watch: StreamWatch): unknown {
  if (result === stream || typeof result !== 'object' || result === null) return result;
  return watchedIterator(result, watch);
}

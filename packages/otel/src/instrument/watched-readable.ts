import { type Method, overlay, type Replacement } from './overlay.js';
import type { StreamWatch } from './stream-watch.js';
import { replaceStep, watchedIterator } from './watched-iterator.js';

/** From Node.js 24 on, its own streams read from the inside of a reader, past any wrapper: they get a real one. */
const READS_INSIDE = Number.parseInt(process.versions.node, 10) >= 24;

/** The ways to consume a `ReadableStream`. */
export function replaceReadable(key: PropertyKey, stream: ReadableStream, watch: StreamWatch): Replacement | undefined {
  switch (key) {
    case 'getReader':
      return (method, args) =>
        READS_INSIDE && args[0] === undefined
          ? tapOf(stream, watch).getReader()
          : reader(method(...args) as object, watch);
    case 'values':
    case Symbol.asyncIterator:
      return (method, args) => watchedIterator(method(...args) as object, watch);
    case 'tee':
    case 'pipeTo':
    case 'pipeThrough':
      // The platform reads from the inside of the stream here, so it gets one that is read from the outside.
      return (_method, args) => {
        const tap = tapOf(stream, watch);
        return Reflect.apply(tap[key] as Method, tap, args);
      };
    case 'cancel':
      return (method, args) => cancelled(method(...args), watch);
    default:
      // Some subclasses are iterators, too.
      return replaceStep(key, stream, watch);
  }
}

function reader<T extends object>(source: T, watch: StreamWatch): T {
  return overlay(source, (key) => {
    if (key === 'read') return (method, args) => watch.step(source, () => method(...args));
    return key === 'cancel' ? (method, args) => cancelled(method(...args), watch) : undefined;
  });
}

function cancelled<T>(result: T, watch: StreamWatch): T {
  watch.close('left', undefined);
  return result;
}

/** The tap of a stream whose reader was given out; a second reader reads on where the first left. */
const taps = new WeakMap<ReadableStream, ReadableStream>();

function tapOf(stream: ReadableStream, watch: StreamWatch): ReadableStream {
  const known = taps.get(stream);
  if (known !== undefined) return known;
  const tap = tapped(stream, watch);
  taps.set(stream, tap);
  return tap;
}

/** A stream of the same chunks, errors and back pressure, read through `watch`. */
function tapped(stream: ReadableStream, watch: StreamWatch): ReadableStream {
  const source = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = (await watch.step(source, () => source.read())) as { done: boolean; value?: unknown };
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => cancelled(source.cancel(reason), watch),
    },
    { highWaterMark: 0 },
  );
}

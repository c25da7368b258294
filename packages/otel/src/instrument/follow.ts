import type { ActiveSpan } from './active-span.js';
import { type StreamListener, type StreamOutcome, StreamWatch } from './stream-watch.js';
import type { TurnState } from './turn-state.js';
import { isStream, watchedStream } from './watched-stream.js';

export interface Following<T> {
  /** The stream to hand on. */
  readonly stream: T;
  readonly watch: StreamWatch;
}

/** Follows a value that is a stream; `undefined` for any other value. */
export function follow<T>(
  value: T,
  place: ActiveSpan,
  listener: StreamListener,
  signal: AbortSignal | undefined,
): Following<T> | undefined {
  if (!isStream(value)) return undefined;
  const ended = (outcome: StreamOutcome, error: unknown) =>
    listener.ended(outcome === 'done' && isCalledOff(value) ? 'left' : outcome, error);
  const watch = new StreamWatch(place, { ...listener, ended }, signal);
  return { stream: watchedStream(value, watch) as T, watch };
}

/** Streams of the model SDKs end without an error when their own `controller` is aborted. */
function isCalledOff(stream: object): boolean {
  const { controller } = stream as { controller?: { signal?: { aborted?: unknown } } };
  return controller?.signal?.aborted === true;
}

/** Like `follow`, for a part of a turn: what nobody consumed is over when the turn is. */
export function followInTurn<T>(
  value: T,
  turn: TurnState,
  place: ActiveSpan,
  listener: StreamListener,
  signal: AbortSignal | undefined,
): T | undefined {
  let forget: () => void = () => {};
  const ended = (outcome: StreamOutcome, error: unknown) => {
    forget();
    listener.ended(outcome, error);
  };
  const followed = follow(value, place, { ...listener, ended }, signal);
  if (followed === undefined) return undefined;
  forget = turn.closeAtEnd(() => followed.watch.close('left', undefined));
  return followed.stream;
}

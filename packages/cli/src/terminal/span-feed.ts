import { FLAG } from '../traces/span-facts.js';
import { NotThere, type TurnSource } from './source.js';
import type { SpanState, State } from './state.js';
import type { StateHolder } from './state-holder.js';

/** One that runs is read again no more often. */
const REREAD_MILLIS = 1_000;

/** Reads the span that is open, and again while it changes. */
export class SpanFeed {
  readonly #source: TurnSource;
  readonly #holder: StateHolder;
  /** What was read last: another key asks for another reading. */
  #key = '';
  #readAt = 0;
  #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(source: TurnSource, holder: StateHolder) {
    this.#source = source;
    this.#holder = holder;
  }

  /** Does what the state asks for. */
  sync(): void {
    const { state } = this.#holder;
    const { turn, span } = state;
    const key = turn === undefined || span === undefined ? '' : keyOf(state, span);
    if (key === this.#key) return;
    const isSame = key.split(' ', 2).join() === this.#key.split(' ', 2).join();
    this.#key = key;
    clearTimeout(this.#timer);
    if (!isSame) this.#end.abort();
    if (turn === undefined || span === undefined) return;
    const wait = isSame ? Math.max(0, this.#readAt + REREAD_MILLIS - performance.now()) : 0;
    this.#timer = setTimeout(() => void this.#read(turn.trace, span.id), wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#end.abort();
  }

  async #read(trace: string, id: string): Promise<void> {
    this.#end.abort();
    this.#end = new AbortController();
    const { signal } = this.#end;
    this.#readAt = performance.now();
    try {
      const detail = await this.#source.span(trace, id, signal);
      this.#change(trace, id, signal, { detail, fault: undefined });
    } catch (error) {
      const fault = error instanceof NotThere ? 'this span is gone' : 'the service does not answer';
      this.#change(trace, id, signal, { fault });
    }
  }

  #change(trace: string, id: string, signal: AbortSignal, more: Partial<SpanState>): void {
    if (signal.aborted) return;
    this.#holder.update((state) =>
      state.turn?.trace === trace && state.span?.id === id ? { ...state, span: { ...state.span, ...more } } : state,
    );
  }
}

/** Trace, span, and what may have changed it: of one that has ended nothing can, once it is there. */
function keyOf({ turn, connection }: State, { id, detail }: SpanState): string {
  const model = turn?.model;
  const span = model?.indexOf(id);
  const isRunning = span === undefined || ((model?.spans.flags[span] ?? 0) & FLAG.running) !== 0;
  const change = isRunning ? String(model?.version) : 'ended';
  return `${turn?.trace} ${id} ${change} ${detail === undefined ? connection : ''}`;
}

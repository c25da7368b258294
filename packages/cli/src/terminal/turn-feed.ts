import type { TurnChange, TurnReload } from '../wire.js';
import { follow } from './follow.js';
import { type LiveEvent, NotThere, type TurnSource } from './source.js';
import type { TurnState } from './state.js';
import type { StateHolder } from './state-holder.js';
import { TurnModel } from './turn-model.js';
import { watchUntil } from './watch-until.js';

/** Keeps the turn that is open up to date. */
export class TurnFeed {
  readonly #source: TurnSource;
  readonly #holder: StateHolder;
  #trace: string | undefined;
  #end = new AbortController();

  constructor(source: TurnSource, holder: StateHolder) {
    this.#source = source;
    this.#holder = holder;
  }

  /** Does what the state asks for. */
  sync(): void {
    const trace = this.#holder.state.turn?.trace;
    if (trace === this.#trace) return;
    this.stop();
    this.#trace = trace;
    if (trace === undefined) return;
    this.#end = new AbortController();
    void follow(
      {
        load: (signal) => this.#load(trace, signal),
        watch: this.#source.isLive ? (from, signal) => this.#watch(trace, from, signal) : undefined,
        onConnected: () => this.#setGone(trace, false),
        // A service that has begun anew reads what was before, and may have it soon.
        onFault: (error) => {
          if (error instanceof NotThere) this.#setGone(trace, true);
          return true;
        },
      },
      this.#end.signal,
    );
  }

  stop(): void {
    this.#end.abort();
  }

  async #load(trace: string, signal: AbortSignal): Promise<number> {
    const columns = await this.#source.turn(trace, signal);
    if (!signal.aborted) this.#change(trace, (turn) => ({ ...turn, model: new TurnModel(columns) }));
    return columns.at;
  }

  async #watch(trace: string, from: number, signal: AbortSignal): Promise<void> {
    const take = ({ name, data }: LiveEvent, readAnew: () => void) => {
      if (name === 'reload' || (name === 'gone' && (data as string[]).includes(trace))) readAnew();
      if (name !== 'turn') return;
      if (this.#model(trace)?.apply(data as TurnChange | TurnReload) !== true) return readAnew();
      this.#change(trace, (turn) => ({ ...turn }));
    };
    await watchUntil(this.#source, { from, trace }, take, signal);
  }

  #model(trace: string): TurnModel | undefined {
    const { turn } = this.#holder.state;
    return turn?.trace === trace ? turn.model : undefined;
  }

  #setGone(trace: string, isGone: boolean): void {
    if (this.#holder.state.turn?.isGone !== isGone) this.#change(trace, (turn) => ({ ...turn, isGone }));
  }

  #change(trace: string, change: (turn: TurnState) => TurnState): void {
    this.#holder.update((state) => (state.turn?.trace === trace ? { ...state, turn: change(state.turn) } : state));
  }
}

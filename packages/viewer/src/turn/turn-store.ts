import { signal } from '@preact/signals';
import { fetchTurn } from '../api/client.js';
import { watchLive } from '../api/live.js';
import type { TurnChange, TurnReload } from '../api/turn-answer.js';
import { applyChange } from './apply-change.js';
import { makeModel, type TurnModel } from './turn-model.js';

/** Changes that come together are drawn together, ms: a turn of many spans takes some to lay out. */
const TOGETHER = 50;

/** One turn, asked for at once, since a page waits for it, and kept fresh while it is watched. */
export class TurnStore {
  readonly trace: string;
  readonly model = signal<TurnModel | undefined>(undefined);
  readonly fault = signal<unknown>(undefined);
  readonly isGone = signal(false);
  readonly #first: Promise<void>;
  #isAsking = false;
  #mustAskAgain = false;
  #changes: (TurnChange | TurnReload)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(trace: string) {
    this.trace = trace;
    this.#first = this.load();
  }

  async load(): Promise<void> {
    if (this.#isAsking) {
      this.#mustAskAgain = true;
      return;
    }
    this.#isAsking = true;
    try {
      this.model.value = makeModel(await fetchTurn(this.trace));
      this.fault.value = undefined;
    } catch (error) {
      this.fault.value = error;
    } finally {
      this.#isAsking = false;
    }
    if (!this.#mustAskAgain) return;
    this.#mustAskAgain = false;
    await this.load();
  }

  /** Keeps the turn fresh. @returns the function that ends it */
  watch(): () => void {
    let stop: (() => void) | undefined;
    let isOver = false;
    const listener = {
      onTurn: (change: TurnChange | TurnReload) => this.#take(change),
      onGone: (traces: readonly string[]) => {
        if (traces.includes(this.trace)) this.isGone.value = true;
      },
      onReload: () => void this.load(),
    };
    void this.#first.then(() => {
      if (!isOver) stop = watchLive(listener, this.model.peek()?.answer.at, this.trace);
    });
    return () => {
      isOver = true;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      stop?.();
    };
  }

  #take(change: TurnChange | TurnReload): void {
    // A turn that was not there yet has begun.
    if (this.model.peek() === undefined) {
      void this.load();
      return;
    }
    this.#changes.push(change);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#apply();
    }, TOGETHER);
  }

  #apply(): void {
    const changes = this.#changes;
    this.#changes = [];
    let answer = this.model.peek()?.answer;
    for (const change of changes) {
      if (answer === undefined) break;
      answer = applyChange(answer, change);
    }
    if (answer === undefined) {
      void this.load();
      return;
    }
    if (answer === this.model.peek()?.answer) return;
    this.model.value = makeModel(answer);
  }
}

import { batch, computed, signal } from '@preact/signals';
import { fetchTurns } from '../api/client.js';
import { watchLive } from '../api/live.js';
import type { TurnRow } from '../api/turn-row.js';
import { apiQuery, isFiltered, type TurnFilter } from './filter.js';
import { mergeRows } from './merge-rows.js';

const PAGE = 300;
/** The service gives no more at once. */
const MOST = 1000;
/** With a filter, only the service can say what belongs: it is asked again, at most so often, ms. */
const AGAIN = 400;

/** The rows of the list: those loaded, kept fresh while watched. */
export class TurnStore {
  readonly rows = signal<readonly TurnRow[]>([]);
  readonly total = signal(0);
  readonly fault = signal<unknown>(undefined);
  readonly isLoaded = signal(false);
  readonly hasMore = computed(() => this.#next.value !== null);
  readonly #next = signal<string | null>(null);
  #filter: TurnFilter | undefined;
  #asking: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isFetchingMore = false;
  #isWatched = false;
  /** Version of the service's store that the rows are of. */
  #at: number | undefined;
  #stop: (() => void) | undefined;

  /** Shows what the filter lets through. */
  async show(filter: TurnFilter): Promise<void> {
    this.#filter = filter;
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    try {
      // As many as were there before, so that a list that is looked at does not get shorter.
      const limit = Math.min(Math.max(PAGE, this.isLoaded.peek() ? this.rows.peek().length : 0), MOST);
      const answer = await fetchTurns(apiQuery(filter, Date.now(), limit), asking.signal);
      if (asking.signal.aborted) return;
      batch(() => {
        this.rows.value = answer.rows;
        this.total.value = answer.total;
        this.#next.value = answer.next;
        this.isLoaded.value = true;
        this.fault.value = undefined;
      });
      this.#at = answer.at;
      this.#watchFrom(answer.at);
    } catch (error) {
      if (!asking.signal.aborted) this.fault.value = error;
    }
  }

  /** Loads the next page, if there is one. */
  async more(): Promise<void> {
    const before = this.#next.peek();
    if (before === null || this.#isFetchingMore || this.#filter === undefined) return;
    this.#isFetchingMore = true;
    const filter = this.#filter;
    try {
      const answer = await fetchTurns(apiQuery(filter, Date.now(), PAGE, before));
      if (filter !== this.#filter) return;
      batch(() => {
        this.rows.value = mergeRows(this.rows.peek(), answer.rows);
        this.#next.value = answer.next;
        this.total.value = answer.total;
      });
    } catch (error) {
      this.fault.value = error;
    } finally {
      this.#isFetchingMore = false;
    }
  }

  /** Keeps the rows fresh from now on; what they are of is told to the service with the first answer. */
  watch(): () => void {
    this.#isWatched = true;
    if (this.isLoaded.peek()) this.#watchFrom(this.#at);
    return () => {
      this.#isWatched = false;
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#stop?.();
      this.#stop = undefined;
    };
  }

  #watchFrom(at: number | undefined): void {
    if (!this.#isWatched || this.#stop !== undefined) return;
    const listener = {
      onRows: (changed: readonly TurnRow[]) => this.#take(changed),
      onGone: (traces: readonly string[]) => this.#drop(new Set(traces)),
      onReload: () => this.#again(),
    };
    this.#stop = watchLive(listener, at);
  }

  #take(changed: readonly TurnRow[]): void {
    if (this.#filter === undefined || !this.isLoaded.peek()) return;
    if (isFiltered(this.#filter)) {
      this.#again();
      return;
    }
    const before = this.rows.peek();
    const rows = mergeRows(before, changed, this.#next.peek() === null ? undefined : before.at(-1)?.start);
    batch(() => {
      this.total.value += rows.length - before.length;
      this.rows.value = rows;
    });
  }

  #drop(gone: ReadonlySet<string>): void {
    const before = this.rows.peek();
    const rows = before.filter(({ trace }) => !gone.has(trace));
    batch(() => {
      this.total.value -= before.length - rows.length;
      this.rows.value = rows;
    });
  }

  #again(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#filter !== undefined) void this.show(this.#filter);
    }, AGAIN);
  }
}

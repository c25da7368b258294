import type { TraceRow } from '../traces/trace-row.js';
import { follow } from './follow.js';
import { listPage } from './page-size.js';
import type { ListQuery, LiveEvent, TurnSource } from './source.js';
import { type ListState, type Size, selectedRow } from './state.js';
import type { StateHolder } from './state-holder.js';
import { mergeRows } from './turn-list.js';
import { watchUntil } from './watch-until.js';

const PAGE_ROWS = 500;
const MOST_PAGE_ROWS = 1_000;
/** Who types is not asked after each letter. */
const TYPING_MILLIS = 150;
/** Whether a changed turn passes a filter only the source can say. */
const REREAD_MILLIS = 1_000;

/** Keeps the list as it is asked for: narrowed, as far down as is looked at, and up to date. */
export class ListFeed {
  readonly #source: TurnSource;
  readonly #holder: StateHolder;
  #query: ListQuery | undefined;
  #end = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #isPaging = false;

  constructor(source: TurnSource, holder: StateHolder) {
    this.#source = source;
    this.#holder = holder;
  }

  /** Does what the state asks for. */
  sync(size: Size): void {
    const { list } = this.#holder.state;
    if (list.query !== this.#query) {
      const wait = this.#query === undefined ? 0 : TYPING_MILLIS;
      this.#query = list.query;
      this.stop();
      this.#end = new AbortController();
      this.#timer = setTimeout(() => this.#follow(list.query, this.#end.signal), wait);
    } else if (list.next !== null && list.isLoaded && !this.#isPaging && wantsMore(list, listPage(size))) {
      void this.#nextPage(list, list.next, this.#end.signal);
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#end.abort();
  }

  #follow(query: ListQuery, signal: AbortSignal): void {
    const { isLive } = this.#source;
    void follow(
      {
        load: (either) => this.#load(query, either),
        watch: isLive ? (from, either) => this.#watch(query, from, either) : undefined,
        onConnected: () => this.#connect(isLive ? 'live' : 'files'),
        onFault: () => {
          this.#connect('away');
          return true;
        },
      },
      signal,
    );
  }

  #connect(connection: 'live' | 'away' | 'files'): void {
    if (this.#holder.state.connection !== connection) this.#holder.update((state) => ({ ...state, connection }));
  }

  /** As many rows as were there before. */
  async #load(query: ListQuery, signal: AbortSignal): Promise<number> {
    const { list } = this.#holder.state;
    const wanted = Math.max(PAGE_ROWS, list.next === null && list.isLoaded ? 0 : list.rows.length);
    const first = await this.#source.turns(query, Math.min(wanted, MOST_PAGE_ROWS), null, signal);
    let { next } = first;
    const rows = [...first.rows];
    while (next !== null && rows.length < wanted) {
      const page = await this.#source.turns(query, MOST_PAGE_ROWS, next, signal);
      rows.push(...page.rows);
      next = page.next;
    }
    if (signal.aborted) return 0;
    this.#change((known) => ({ ...known, rows, next, total: first.total, isLoaded: true }));
    return first.at;
  }

  async #watch(query: ListQuery, from: number, signal: AbortSignal): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const take = ({ name, data }: LiveEvent, readAnew: () => void) => {
      if (name === 'reload') readAnew();
      else if (name === 'gone') this.#gone(new Set(data as string[]));
      else if (name !== 'rows') return;
      else if (query.text === '' && query.outcome === '') this.#changed(data as TraceRow[]);
      else timer ??= setTimeout(readAnew, REREAD_MILLIS);
    };
    try {
      await watchUntil(this.#source, { from }, take, signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #changed(changed: readonly TraceRow[]): void {
    this.#change((list) => {
      const rows = mergeRows(list.rows, changed, list.next !== null);
      return { ...list, rows, total: list.total + (rows.length - list.rows.length) };
    });
  }

  #gone(traces: ReadonlySet<string>): void {
    this.#change((list) => {
      const rows = list.rows.filter(({ trace }) => !traces.has(trace));
      return { ...list, rows, total: Math.max(rows.length, list.total - (list.rows.length - rows.length)) };
    });
  }

  async #nextPage({ query }: ListState, before: string, signal: AbortSignal): Promise<void> {
    this.#isPaging = true;
    try {
      const page = await this.#source.turns(query, MOST_PAGE_ROWS, before, signal);
      if (signal.aborted) return;
      this.#isPaging = false;
      this.#change((list) => {
        if (list.next !== before) return list;
        const rows = mergeRows(list.rows, page.rows, false);
        const selected = list.wantsEnd ? rows.at(-1)?.trace : list.selected;
        return { ...list, rows, next: page.next, selected, wantsEnd: list.wantsEnd && page.next !== null };
      });
    } catch {
      // The watch breaks as well, and begins again.
    } finally {
      this.#isPaging = false;
    }
  }

  #change(change: (list: ListState) => ListState): void {
    this.#holder.update((state) => ({ ...state, list: change(state.list) }));
  }
}

const wantsMore = (list: ListState, page: number) => list.wantsEnd || selectedRow(list) + 3 * page >= list.rows.length;

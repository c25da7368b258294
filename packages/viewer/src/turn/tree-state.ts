import { computed, signal } from '@preact/signals';
import { FLAG } from '../api/turn-answer.js';
import { type Folded, foldChildren, hasChildren, toggled, unfoldedTo, visibleSpans } from './fold.js';
import type { TimeScale } from './time-scale.js';
import { growingEnd } from './time-scale.js';
import { endOf, type TurnModel } from './turn-model.js';
import type { TurnStore } from './turn-store.js';

/** What the tree shows: which spans, which of them is meant, and which stretch of time. Lives as long as the page. */
export class TreeState {
  readonly folded = signal<Folded>(new Set());
  /** Span that keys and marks are about. */
  readonly active = signal(-1);
  /** The stretch that is zoomed into. */
  readonly zoom = signal<TimeScale | undefined>(undefined);
  /** Goes up each time a span should be brought to where it is seen. */
  readonly reveals = signal(0);
  /** End of the scale of a running turn, ns. */
  readonly #end = signal(0);
  readonly #store: TurnStore;

  constructor(store: TurnStore) {
    this.#store = store;
  }

  readonly visible = computed(() => {
    const model = this.#store.model.value;
    return model === undefined ? new Int32Array() : visibleSpans(model.tree, this.folded.value);
  });

  /** Row of each visible span. */
  readonly rowOf = computed(() => {
    const visible = this.visible.value;
    const rows = new Int32Array(this.#store.model.value?.count ?? 0).fill(-1);
    for (let row = 0; row < visible.length; row++) rows[visible[row] ?? 0] = row;
    return rows;
  });

  readonly scale = computed((): TimeScale => {
    const model = this.#store.model.value;
    if (this.zoom.value !== undefined) return this.zoom.value;
    return { from: 0, to: Math.max(model?.extent ?? 1, model?.isRunning ? this.#end.value : 0) };
  });

  /** Makes room on the scale for what runs. @param now Unix milliseconds */
  grow(model: TurnModel, now: number): void {
    const end = (now - model.baseMillis) * 1e6;
    const next = growingEnd(Math.max(this.#end.peek(), 0), end);
    if (next !== this.#end.peek() && Number.isFinite(next)) this.#end.value = next;
  }

  /** Makes a span the one that is meant, and shows it. */
  goTo(span: number): void {
    const model = this.#store.model.peek();
    if (model === undefined || span < 0 || span >= model.count) return;
    this.folded.value = unfoldedTo(model.tree, this.folded.peek(), span);
    this.active.value = span;
    this.reveals.value++;
  }

  toggle(span: number, isFolded?: boolean): void {
    const model = this.#store.model.peek();
    if (model === undefined || !hasChildren(model.tree, span)) return;
    this.folded.value = toggled(this.folded.peek(), span, isFolded);
  }

  foldAll(): void {
    const model = this.#store.model.peek();
    if (model !== undefined) this.folded.value = foldChildren(model.tree, model.kind);
  }

  unfoldAll(): void {
    this.folded.value = new Set();
  }

  /** Shows only the time of a span, with a little on both sides. */
  zoomTo(span: number, now: number): void {
    const model = this.#store.model.peek();
    if (model === undefined || span < 0) return;
    const start = model.start[span] ?? 0;
    const length = Math.max(endOf(model, span, now) - start, 1000);
    this.zoom.value = { from: Math.max(0, start - length * 0.05), to: start + length * 1.05 };
  }

  /** The next span after the meant one with any of these flags; -1 for none. */
  nextWith(flags: number): number {
    const model = this.#store.model.peek();
    if (model === undefined) return -1;
    const { order, placeOf } = model.tree;
    const from = this.active.peek() < 0 ? 0 : (placeOf[this.active.peek()] ?? 0) + 1;
    for (let step = 0; step < order.length; step++) {
      const span = order[(from + step) % order.length] ?? 0;
      if (((model.flags[span] ?? 0) & flags) !== 0) return span;
    }
    return -1;
  }
}

/** What one looks for when something went wrong. */
export const TROUBLE = FLAG.error | FLAG.blocked | FLAG.cancelled | FLAG.timeout;

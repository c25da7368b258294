import type { SpanColumns, TurnColumns } from '../traces/columns.js';
import type { ChangedSpans, CriticalPath, PathSegment, TurnChange, TurnLink, TurnReload, TurnRow } from '../wire.js';
import { type SpanOrder, spanOrder } from './span-order.js';
import { unpackPath } from './unpack-path.js';

/** What is kept of a column's change: the texts are in one list for all. */
type NumberColumn = Exclude<keyof SpanColumns, 'id'>;
const NUMBERS: readonly NumberColumn[] = ['parent', 'kind', 'start', 'end', 'flags'];
const TEXTS: readonly NumberColumn[] = ['name', 'who', 'label'];

/** One turn as it is known, and kept up to date in place: a large one is not copied for each of its changes. */
export class TurnModel {
  row: TurnRow;
  readonly base: bigint;
  readonly spans: SpanColumns;
  incomplete: readonly string[];
  /** To turns of before and after, and what else belongs to it. */
  links: readonly TurnLink[];
  path: CriticalPath;
  /** Goes up with each change. */
  version = 0;
  #at: number;
  readonly #texts: string[];
  readonly #textNumbers = new Map<string, number>();
  readonly #indexOf = new Map<string, number>();
  #order: SpanOrder | undefined;
  #segments: Map<number, PathSegment[]> | undefined;
  /** Last time that any span is known to have begun or ended. */
  #last = 0;

  constructor({ row, base, spans, path, texts, at, incomplete, links }: TurnColumns) {
    this.row = row;
    this.base = BigInt(base);
    this.spans = spans;
    this.path = path;
    this.incomplete = incomplete;
    this.links = links;
    this.#at = at;
    this.#texts = [...texts];
    texts.forEach((text, number) => {
      this.#textNumbers.set(text, number);
    });
    for (let i = 0; i < spans.id.length; i++) this.#note(i);
  }

  get count(): number {
    return this.spans.id.length;
  }

  get order(): SpanOrder {
    this.#order ??= spanOrder(this.spans.parent, this.spans.start);
    return this.#order;
  }

  indexOf(id: string): number | undefined {
    return this.#indexOf.get(id);
  }

  name(span: number): string {
    return this.#text(this.spans.name[span]) ?? '';
  }

  who(span: number): string | undefined {
    return this.#text(this.spans.who[span]);
  }

  label(span: number): string | undefined {
    return this.#text(this.spans.label[span]);
  }

  /** Nanoseconds from its base. @param millis Unix time */
  nowAt(millis: number): number {
    return Math.max(this.#last, Number(BigInt(Math.round(millis)) * 1_000_000n - this.base));
  }

  /** End of a span, `now` for one that runs. */
  endOf(span: number, now: number): number {
    const end = this.spans.end[span] ?? -1;
    return end === -1 ? Math.max(now, this.spans.start[span] ?? 0) : end;
  }

  /** From its first start to the last end that is known, up to `now` while anything runs. */
  reach(now: number): number {
    return Math.max(1, this.row.running > 0 ? now : this.#last);
  }

  /** Stretches of the critical path that are a span's own, in time order. Until something begins or ends, the last one grows. */
  segmentsOf(span: number, now: number): readonly PathSegment[] {
    const known = this.#knownSegments(span);
    const last = this.path.segments.at(-1);
    if (this.row.duration !== null || last === undefined || last[0] !== span || last[2] >= now) return known;
    return known.map((segment) => (segment === last ? [span, segment[1], now, segment[3]] : segment));
  }

  #knownSegments(span: number): readonly PathSegment[] {
    if (this.#segments === undefined) {
      this.#segments = new Map();
      for (const segment of this.path.segments) {
        const list = this.#segments.get(segment[0]);
        if (list === undefined) this.#segments.set(segment[0], [segment]);
        else list.push(segment);
      }
    }
    return this.#segments.get(span) ?? [];
  }

  /** What a live event says. @returns false where it does not fit, and all has to be read anew */
  apply(change: TurnChange | TurnReload): boolean {
    if ('reload' in change) return false;
    // One that is told again may know better where the time went.
    if (change.at < this.#at) return true;
    if (change.from > this.#at || BigInt(change.base) !== this.base) return false;
    const { spans, texts } = change;
    if (!this.#fits(spans)) return false;
    const numbers = texts.map((text) => this.#textNumber(text));
    spans.index.forEach((index, at) => {
      this.spans.id[index] = spans.id[at] as string;
      for (const name of NUMBERS) this.spans[name][index] = spans[name][at] as number;
      for (const name of TEXTS) {
        const number = spans[name][at] as number;
        this.spans[name][index] = number === -1 ? -1 : (numbers[number] as number);
      }
      this.#note(index);
    });
    if (change.path !== undefined) {
      this.path = unpackPath(change.path, this.spans);
      this.#segments = undefined;
    }
    this.row = change.row;
    this.incomplete = change.incomplete;
    this.links = change.links;
    this.#at = change.at;
    this.version++;
    this.#order = undefined;
    return true;
  }

  /** A gap, or another span at a place: something was missed. */
  #fits({ index, id }: ChangedSpans): boolean {
    let count = this.count;
    return index.every((place, at) => {
      if (place < this.count) return this.spans.id[place] === id[at];
      return place === count++;
    });
  }

  #note(index: number): void {
    const { id, start, end } = this.spans;
    this.#indexOf.set(id[index] as string, index);
    this.#last = Math.max(this.#last, start[index] as number, end[index] as number);
  }

  #text(number = -1): string | undefined {
    return number === -1 ? undefined : this.#texts[number];
  }

  #textNumber(text: string): number {
    let number = this.#textNumbers.get(text);
    if (number === undefined) {
      number = this.#texts.push(text) - 1;
      this.#textNumbers.set(text, number);
    }
    return number;
  }
}

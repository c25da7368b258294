import type { SpanColumns, TurnAnswer } from '../api/turn-answer.js';
import type { TurnRow } from '../api/turn-row.js';

/** What a live event says of the turn that is watched. */
export interface TurnChange {
  /** All is other: ask again. */
  readonly reload?: boolean;
  /** Version that it builds on, and that it leads to. */
  readonly from?: number;
  readonly at?: number;
  readonly row?: TurnRow;
  readonly base?: string;
  /** Of this change alone. */
  readonly texts?: readonly string[];
  /** Columns of appended and changed spans; `index` says which ones. */
  readonly spans?: SpanColumns & { readonly index: readonly number[] };
}

/** The answer with a change in it; undefined where it does not fit, and all must be asked for again. */
export function applyChange(answer: TurnAnswer, change: TurnChange): TurnAnswer | undefined {
  const known = answer.at ?? Number.NEGATIVE_INFINITY;
  if (change.at !== undefined && change.at <= known) return answer;
  if (change.reload === true || (change.from !== undefined && change.from > known)) return undefined;
  if (change.base !== undefined && change.base !== answer.base) return undefined;
  const row = change.row ?? answer.row;
  const at = change.at ?? known;
  if (change.spans === undefined) return { ...answer, row, at };
  const texts = new KnownTexts(answer.texts);
  const numbers = (change.texts ?? []).map((text) => texts.number(text));
  const spans = changedSpans(answer.spans, change.spans, numbers);
  return spans === undefined ? undefined : { ...answer, row, at, texts: texts.list, spans };
}

/** Texts, each once. */
class KnownTexts {
  readonly list: string[];
  readonly #numbers: Map<string, number>;

  constructor(texts: readonly string[]) {
    this.list = [...texts];
    this.#numbers = new Map(texts.map((text, number) => [text, number]));
  }

  number(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.list.push(text) - 1;
      this.#numbers.set(text, number);
    }
    return number;
  }
}

function changedSpans(
  spans: SpanColumns,
  change: SpanColumns & { readonly index: readonly number[] },
  numbers: readonly number[],
): SpanColumns | undefined {
  const id = [...spans.id];
  for (const [at, index] of change.index.entries()) {
    // A gap, or another span at that place: something was missed.
    if (index > id.length || (index < id.length && id[index] !== change.id[at])) return undefined;
    id[index] = change.id[at] ?? '';
  }
  const put = (name: Exclude<keyof SpanColumns, 'id'>, isText = false): number[] => {
    const column = [...spans[name]];
    for (const [at, index] of change.index.entries()) {
      const value = change[name][at] ?? -1;
      column[index] = isText && value >= 0 ? (numbers[value] ?? -1) : value;
    }
    return column;
  };
  return {
    id,
    parent: put('parent'),
    name: put('name', true),
    kind: put('kind'),
    start: put('start'),
    end: put('end'),
    flags: put('flags'),
    who: put('who', true),
    label: put('label', true),
  };
}

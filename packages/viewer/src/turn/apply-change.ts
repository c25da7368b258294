import type { ChangedSpans, SpanColumns, TurnAnswer, TurnChange, TurnReload } from '../api/turn-answer.js';
import { unpackPath } from '../api/unpack-turn.js';

/** The answer with a change in it; undefined where it does not fit, and all must be asked for again. */
export function applyChange(answer: TurnAnswer, change: TurnChange | TurnReload): TurnAnswer | undefined {
  if ('reload' in change) return undefined;
  const { at, from, row, base, links, incomplete } = change;
  // Where the time went may come behind the spans it is of, as a change of its own.
  if (at < answer.at || (at === answer.at && change.path === undefined)) return answer;
  if (from > answer.at || base !== answer.base) return undefined;
  const texts = new KnownTexts(answer.texts);
  const numbers = change.texts.map((text) => texts.number(text));
  const spans = changedSpans(answer.spans, change.spans, numbers);
  if (spans === undefined) return undefined;
  const path = change.path === undefined ? answer.path : unpackPath(change.path, spans);
  return { ...answer, row, at, texts: texts.list, spans, path, links, incomplete };
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

function changedSpans(spans: SpanColumns, change: ChangedSpans, numbers: readonly number[]): SpanColumns | undefined {
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

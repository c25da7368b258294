import { FLAG } from '../traces/span-facts.js';
import type { TurnModel } from './turn-model.js';

/** Which spans of a turn show. */
export interface SpanFilter {
  /** Ids of spans whose descendants are hidden. */
  readonly folded: ReadonlySet<string>;
  /** In names, who and why; case does not matter. `''` for all. */
  readonly text: string;
  readonly only: SpanChoice;
}

export const SPAN_CHOICES = ['', 'blocked', 'errors', 'running'] as const;
export type SpanChoice = (typeof SPAN_CHOICES)[number];

const CHOICE_FLAGS: Readonly<Record<SpanChoice, number>> = {
  '': 0,
  blocked: FLAG.blocked,
  errors: FLAG.error | FLAG.timeout,
  running: FLAG.running,
};

/** What comes next after `only` that some span of the turn is; `''` is all. */
export function nextChoice({ spans: { flags } }: TurnModel, only: SpanChoice): SpanChoice {
  for (const choice of SPAN_CHOICES.slice(SPAN_CHOICES.indexOf(only) + 1)) {
    if (flags.some((own) => (own & CHOICE_FLAGS[choice]) !== 0)) return choice;
  }
  return '';
}

/** Spans that show, in the order of the tree: with a filter those that pass and all above them, whatever is folded. */
export function visibleSpans(model: TurnModel, filter: SpanFilter): ArrayLike<number> {
  const known = kept.get(model);
  if (known !== undefined && known.version === model.version && known.filter === filter) return known.spans;
  const spans = filter.text === '' && filter.only === '' ? unfolded(model, filter.folded) : passing(model, filter);
  kept.set(model, { version: model.version, filter, spans });
  return spans;
}

/** A frame, and each key, asks for the same again. */
const kept = new WeakMap<
  TurnModel,
  { readonly version: number; readonly filter: SpanFilter; readonly spans: ArrayLike<number> }
>();

function unfolded(model: TurnModel, folded: ReadonlySet<string>): ArrayLike<number> {
  const { order, endPlace } = model.order;
  if (folded.size === 0) return order;
  const shown: number[] = [];
  for (let place = 0; place < order.length; ) {
    const span = order[place] as number;
    shown.push(span);
    place = folded.has(model.spans.id[span] as string) ? (endPlace[span] as number) : place + 1;
  }
  return shown;
}

function passing(model: TurnModel, { text, only }: SpanFilter): ArrayLike<number> {
  const { order, depth } = model.order;
  const words = text.toLowerCase();
  const has = (found: string | undefined) => found?.toLowerCase().includes(words) === true;
  const passes = (span: number) =>
    (only === '' || ((model.spans.flags[span] as number) & CHOICE_FLAGS[only]) !== 0) &&
    (words === '' || has(model.name(span)) || has(model.who(span)) || has(model.label(span)));
  const shown: number[] = [];
  // From behind: a span shows if one below it does, which stands behind it.
  let wanted = -1;
  for (let place = order.length - 1; place >= 0; place--) {
    const span = order[place] as number;
    const deep = depth[span] as number;
    if (deep !== wanted && !passes(span)) continue;
    shown.push(span);
    wanted = deep - 1;
  }
  return shown.reverse();
}

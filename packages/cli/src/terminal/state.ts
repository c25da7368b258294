import type { SpanDetail } from '../traces/span-detail.js';
import type { TraceRow } from '../traces/trace-row.js';
import type { ListQuery } from './source.js';
import type { TurnModel } from './turn-model.js';
import type { SpanFilter } from './visible-spans.js';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface ListState {
  readonly rows: readonly TraceRow[];
  /** All that pass, also those that are not read yet. */
  readonly total: number;
  /** Names the rows that come next; `null` for none. */
  readonly next: string | null;
  readonly query: ListQuery;
  /** What the list can be narrowed to, as it was when nothing narrowed it. */
  readonly outcomes?: readonly string[];
  /** Trace; `undefined`: the first row, whichever that is. */
  readonly selected: string | undefined;
  readonly top: number;
  /** The last row is looked for, so all have to be read. */
  readonly wantsEnd: boolean;
  readonly isLoaded: boolean;
}

export interface TurnState {
  readonly trace: string;
  /** The turn's line in the list, until the turn is there. */
  readonly row: TraceRow | undefined;
  readonly model: TurnModel | undefined;
  /** Id of a span; `undefined`: the first one. */
  readonly selected: string | undefined;
  readonly top: number;
  readonly filter: SpanFilter;
  /** It went; what is known of it stays. */
  readonly isGone: boolean;
}

export interface SpanState {
  readonly id: string;
  readonly detail: SpanDetail | undefined;
  readonly top: number;
  /** Long texts in full. */
  readonly isLong: boolean;
  /** Why there is no detail. */
  readonly fault: string | undefined;
}

/** All that decides what is on the screen. Replaced, never changed, but for the model of a turn. */
export interface State {
  readonly list: ListState;
  /** The turn that is open. */
  readonly turn: TurnState | undefined;
  /** The span of it that is open. */
  readonly span: SpanState | undefined;
  /** What is being typed for a filter. */
  readonly input: string | undefined;
  readonly hasHelp: boolean;
  /** Of a service: whether it answers. `files`: nothing can change. */
  readonly connection: 'live' | 'away' | 'starting' | 'files';
  readonly isOver: boolean;
}

export const NO_FILTER: SpanFilter = { folded: new Set(), text: '', only: '' };

export function firstState(isLive: boolean): State {
  return {
    list: {
      rows: [],
      total: 0,
      next: null,
      query: { text: '', outcome: '' },
      selected: undefined,
      top: 0,
      wantsEnd: false,
      isLoaded: false,
    },
    turn: undefined,
    span: undefined,
    input: undefined,
    hasHelp: false,
    connection: isLive ? 'starting' : 'files',
    isOver: false,
  };
}

/** A turn that is opened and has to be read. @param row its line in the list, where it is known */
export const openedTurn = (trace: string, row?: TraceRow): TurnState => ({
  trace,
  row,
  model: undefined,
  selected: undefined,
  top: 0,
  filter: NO_FILTER,
  isGone: false,
});

/** Place of the selected turn; the first one where it is gone. */
export function selectedRow({ rows, selected }: ListState): number {
  if (selected === undefined) return 0;
  return Math.max(
    0,
    rows.findIndex(({ trace }) => trace === selected),
  );
}

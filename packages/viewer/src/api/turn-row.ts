/** How a turn stands: our own outcomes, and those of another program's trace (`error`, `ok`). */
export type Outcome = 'running' | 'completed' | 'failed' | 'interrupted' | 'incomplete' | 'error' | 'ok';

export interface BlockedCall {
  /** Id of the span. */
  readonly span: string;
  readonly name: string;
  readonly by: string | null;
  readonly why: string | null;
}

/** One turn as the list shows it. */
export interface TurnRow {
  readonly trace: string;
  readonly session: string | null;
  readonly turn: string | null;
  readonly name: string;
  readonly agent: string | null;
  readonly model: string | null;
  readonly service: string | null;
  /** Unix nanoseconds, decimal. */
  readonly start: string;
  /** Nanoseconds; null while it runs. */
  readonly duration: number | null;
  readonly outcome: Outcome;
  /** Null where no request told. */
  readonly tokens: { readonly input: number | null; readonly cached: number | null; readonly output: number | null };
  readonly requests: number;
  readonly tools: number;
  readonly errors: number;
  readonly blocked: number;
  readonly cancelled: number;
  readonly children: number;
  readonly spans: number;
  /** Spans that have not ended, also in the background. */
  readonly running: number;
  /** The first three. */
  readonly blockedCalls: readonly BlockedCall[];
  readonly waitsForHuman: boolean;
  /** First words of the user, where content is captured. */
  readonly excerpt: string | null;
}

/** A page of `GET /api/turns`. */
export interface TurnList {
  readonly rows: readonly TurnRow[];
  readonly next: string | null;
  readonly total: number;
  /** Version of the store that this shows. */
  readonly at?: number;
}

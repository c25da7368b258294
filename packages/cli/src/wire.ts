/**
 * What goes between the viewer's service and its page, as JSON: types alone, used by both, so that neither says one thing and
 * reads another. Nothing is imported here, and nothing of it is there at run time. `docs/viewer.md` says it in words.
 */

/** What a span is. */
export interface SpanKinds {
  readonly turn: 0;
  readonly child: 1;
  readonly request: 2;
  readonly auxiliary: 3;
  readonly tool: 4;
  readonly approval: 5;
  readonly human: 6;
  readonly other: 7;
}

/** Bits of `flags`. */
export interface SpanFlags {
  readonly error: 1;
  readonly blocked: 2;
  readonly cancelled: 4;
  readonly timeout: 8;
  readonly running: 16;
  readonly incomplete: 32;
  readonly retried: 64;
  /** Goes on past the end of its turn. */
  readonly background: 128;
  /** Its times are no good. */
  readonly clockFault: 256;
}

/** Whose time it is; in segments by the number in this list. */
export type PartList = readonly ['model', 'tools', 'human', 'children', 'waiting', 'agent'];
export type PartName = PartList[number];

/** How a turn stands: our own outcomes, and those of another program's trace (`error`, `ok`). */
export type Outcome = 'running' | 'completed' | 'failed' | 'interrupted' | 'incomplete' | 'error' | 'ok';

/** A call that was not let through. */
export interface BlockedCall {
  /** Id of the span. */
  readonly span: string;
  readonly name: string;
  readonly by: string | null;
  readonly why: string | null;
}

/** A call or question that waits for a person. */
export interface WaitingCall {
  /** Id of the span of the wait. */
  readonly span: string;
  /** The tool that waits, else what the wait is called. */
  readonly name: string;
  /** Content: `null` where it was not captured. */
  readonly why: string | null;
  /** Id of a policy's request: its page is below `ApprovalsAnswer.path`. */
  readonly request: string | null;
}

/** What requests cost together. */
export interface CostSum {
  /** USD; `null` where the cost of none is known. */
  readonly usd: number | null;
  /** Something in it is an estimate. */
  readonly isEstimated: boolean;
  /** Requests that are not in it, since nobody knows what they cost. */
  readonly unknown: number;
}

/** One turn as the list shows it. What is not known is `null`. */
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
  /** Nanoseconds; `null` while it runs. */
  readonly duration: number | null;
  readonly outcome: Outcome;
  /** `null` where no request told. */
  readonly tokens: { readonly input: number | null; readonly cached: number | null; readonly output: number | null };
  /** What requests cost, in USD; `null` where no request tells of it. */
  readonly cost: CostSum | null;
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
  /** The first three. */
  readonly waitingCalls: readonly WaitingCall[];
  /** First words of the person, where content was captured. */
  readonly excerpt: string | null;
}

/** `GET /api/turns` */
export interface TurnList {
  readonly rows: readonly TurnRow[];
  readonly next: string | null;
  readonly total: number;
  /** Version of the store that this shows. */
  readonly at: number;
}

/** Spans as one list for each field. Texts are places in `texts`, -1 for none; times are nanoseconds from `base`. */
export interface SpanColumns {
  readonly id: readonly string[];
  /** Index of the parent, -1 for none. */
  readonly parent: readonly number[];
  readonly name: readonly number[];
  readonly kind: readonly number[];
  readonly start: readonly number[];
  /** -1 while it runs. */
  readonly end: readonly number[];
  readonly flags: readonly number[];
  readonly who: readonly number[];
  readonly label: readonly number[];
}

/** `[span, from, to, part]`: in this stretch the turn waited for this span; -1 for the trace itself. */
export type PathSegment = readonly [span: number, from: number, to: number, part: number];

/** Where the time went, of what runs up to now. */
export interface CriticalPath {
  /** Nanoseconds; they sum to the duration. */
  readonly parts: Readonly<Record<PartName, number>>;
  /** In time order. */
  readonly segments: readonly PathSegment[];
}

export interface TurnLink {
  readonly relation: string;
  readonly trace: string;
  readonly span: string;
}

/** `GET /api/turns/:trace`: a whole turn, without its attributes. */
export interface TurnAnswer {
  readonly row: TurnRow;
  /** Unix nanoseconds, decimal. */
  readonly base: string;
  /** Version of the store that this shows. */
  readonly at: number;
  readonly texts: readonly string[];
  readonly spans: SpanColumns;
  readonly path: CriticalPath;
  readonly links: readonly TurnLink[];
  readonly incomplete: readonly string[];
}

/** Times as small numbers: most of a large turn are the digits of times, and near ones differ by little. */
export interface PackedSpans extends Omit<SpanColumns, 'start' | 'end'> {
  /** Start, from that of the span before it in the list; of the first one from the base. */
  readonly after: readonly number[];
  /** Duration, -1 while it runs. */
  readonly took: readonly number[];
}

/** Segments follow one another without a gap. */
export interface PackedPath extends Pick<CriticalPath, 'parts'> {
  /** Where the first one begins. */
  readonly from: number;
  /** Index of the span, from that of the segment before. */
  readonly step: readonly number[];
  /** Nanoseconds; 0 for all of a span that has ended, which is most. */
  readonly length: readonly number[];
  readonly part: readonly number[];
}

/** The same with `?packed=1`. */
export interface PackedTurn extends Omit<TurnAnswer, 'spans' | 'path'> {
  readonly spans: PackedSpans;
  readonly path: PackedPath;
}

/** Spans that came or changed, at their `index` in what was given out before; those behind its end are new. */
export type ChangedSpans = SpanColumns & { readonly index: readonly number[] };

/** Event `turn` of `GET /api/live?trace=`. */
export interface TurnChange {
  /** Version that it builds on, and that it leads to. */
  readonly from: number;
  readonly at: number;
  readonly row: TurnRow;
  readonly base: string;
  /** Of this change alone. */
  readonly texts: readonly string[];
  readonly spans: ChangedSpans;
  /** Up to now. Absent where a large turn is told of often: then what was told last holds until it is told again. */
  readonly path?: PackedPath;
  readonly links: readonly TurnLink[];
  readonly incomplete: readonly string[];
}

/** The same event, where all is to be asked for again. */
export interface TurnReload {
  readonly reload: true;
}

export type Attributes = Readonly<Record<string, unknown>>;

export interface SpanEvent {
  readonly name: string;
  /** Unix nanoseconds, decimal. */
  readonly time: string;
  readonly attributes: Attributes;
}

export interface SpanLink {
  readonly trace: string;
  readonly span: string;
  readonly attributes: Attributes;
}

/** `GET /api/turns/:trace/spans/:span` */
export interface SpanAnswer {
  readonly id: string;
  readonly trace: string;
  readonly parent: string | null;
  readonly name: string;
  readonly kind: number;
  /** Unix nanoseconds, decimal; `null` where it was not told. */
  readonly start: string | null;
  /** `null` while it runs. */
  readonly end: string | null;
  readonly status: { readonly code: number; readonly message: string | null };
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly resource: Attributes;
  readonly scope: { readonly name: string; readonly version: string | null };
  /** Who blocked it and why, as `BlockedCall` says; `null` where it was not blocked. */
  readonly by: string | null;
  readonly why: string | null;
  /** Long texts were cut: ask with `whole`. */
  readonly truncated: boolean;
  /** What it was made of, where the journal still has it. */
  readonly records: readonly unknown[];
}

export interface ProducerHealth {
  readonly producer: string;
  /** What it said of itself. */
  readonly hello?: Attributes | undefined;
  /** Unix milliseconds. */
  readonly lastSeen: number;
  readonly records: number;
  readonly missing: number;
  readonly dropped: Readonly<Record<string, number>>;
}

export interface ExporterHealth {
  readonly name: string;
  readonly sentSpans: number;
  readonly waitingBytes: number;
  readonly lostSpans: number;
  readonly lastError?: string | undefined;
}

export interface CountHealth {
  readonly name: string;
  readonly help: string;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** `GET /api/health`. Of files that are shown it has little. */
export interface HealthAnswer {
  readonly version: string;
  readonly is_ready?: boolean | undefined;
  readonly is_paused?: boolean | undefined;
  readonly trouble?: string | undefined;
  readonly http?: string | undefined;
  readonly jaegerUrl?: string | null | undefined;
  /** Files are shown, and nothing arrives. */
  readonly files?: boolean | undefined;
  readonly producers?: readonly ProducerHealth[] | undefined;
  readonly exporters?: readonly ExporterHealth[] | undefined;
  readonly counts?: readonly CountHealth[] | undefined;
  readonly receiver?: Readonly<Record<string, unknown>> | undefined;
  readonly store?: Readonly<Record<string, unknown>> | undefined;
  readonly history?: Readonly<Record<string, unknown>> | undefined;
}

/** `GET /api/approvals`: what waits for a person in the service's policy. */
export interface ApprovalsAnswer {
  /** Where the pages of approvals are; `null` where there are none. */
  readonly path: string | null;
  readonly waiting: number;
}

/** What the page needs to know of the service at once: JSON in the element `meta[name=service-facts]` of the page itself. */
export interface ServiceFacts {
  /** Where Jaeger is, when the service says so. */
  readonly jaegerUrl: string | null;
  /** Files are shown: there are no records to save, and nothing to delete. */
  readonly files: boolean;
}

/** `DELETE /api/sessions/:session` */
export interface DeletionAnswer {
  readonly turns: number;
}

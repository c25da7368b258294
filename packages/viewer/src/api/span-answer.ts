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
  readonly attributes?: Attributes;
}

/** Answer of `GET /api/turns/:trace/spans/:span`. */
export interface SpanAnswer {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly kind: number;
  /** Unix nanoseconds, decimal; null where it was not told. */
  readonly start: string | null;
  /** Null while it runs. */
  readonly end: string | null;
  readonly status: { readonly code: number; readonly message?: string | null };
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly resource: Attributes;
  readonly scope?: unknown;
  /** Lines of the records that made it, where the journal still has them. */
  readonly records?: readonly unknown[];
  /** Long texts were cut: ask with `whole`. */
  readonly truncated?: boolean;
}

export type SqlValue = string | number | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** A database as `SqlStore` needs it. Each statement is a transaction of its own. */
export interface SqlDriver {
  /** Rows that a statement gives, also by `RETURNING`. Parameters are `$1`, `$2` …, each used as often as it likes. */
  query(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** What stands before the names of tables. */
  readonly prefix: string;
  /** Unix milliseconds by the clock of the database, as an expression: one clock for all processes. */
  readonly clock: string;
  /** Behind a `SELECT` of rows that are changed: those that somebody else changes just now are left to them. */
  readonly skipLocked: string;
  /** Tells of changes, '' for any; see `ApprovalStore.onChange`. */
  onChange?(listener: (id: string) => void): () => void;
  /** Now and then: whether what it tells changes by still works. */
  check?(): void;
  close(): Promise<void>;
}

/** ATOF 0.1 as it is written: one event a line. Optional fields are `null`, as in all writers of the format. */
export const ATOF_VERSION = '0.1';

export type Category = 'agent' | 'llm' | 'tool' | 'unknown';

export interface DataSchema {
  readonly name: string;
  readonly version: string;
}

interface Common {
  readonly atof_version: typeof ATOF_VERSION;
  readonly uuid: string;
  /** `null` for a root. */
  readonly parent_uuid: string | null;
  /** RFC 3339 with microseconds and `Z`. */
  readonly timestamp: string;
  readonly name: string;
  readonly category: Category | null;
  readonly category_profile: Readonly<Record<string, unknown>> | null;
  readonly data: unknown;
  readonly data_schema: DataSchema | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

export interface ScopeEvent extends Common {
  readonly kind: 'scope';
  readonly scope_category: 'start' | 'end';
  /** Sorted flags; the same at both ends. */
  readonly attributes: readonly string[];
}

export interface MarkEvent extends Common {
  readonly kind: 'mark';
}

export type AtofEvent = ScopeEvent | MarkEvent;

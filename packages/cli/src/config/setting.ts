import type * as z from 'zod';

/** One setting: its name in the file is its key in the table, its variable and flag follow from that. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** Turns what the file, a variable or a flag gives into the value in force. */
  readonly schema: Schema;
  /** As it would be written in the file. Absent: computed from other settings, as `shownDefault` says in words. */
  readonly preset?: unknown;
  readonly shownDefault?: string;
  /** One sentence for `--help` and the table of the page. */
  readonly meaning: string;
  /** Its value is never printed. */
  readonly isSecret?: boolean;
  /** Variable beside the rule, such as one that forwarders read too. `false`: from the file only. */
  readonly variable?: string | false;
  /** A flag of `serve`. */
  readonly flag?: string;
}

export const PREFIX = 'HERMES_OBSERVER_';

/** `http.port` is `HERMES_OBSERVER_HTTP_PORT`. `undefined` when only the file can say it. */
export function variableOf(key: string, { variable }: Setting): string | undefined {
  if (variable === false) return undefined;
  return variable ?? `${PREFIX}${key.replaceAll('.', '_').toUpperCase()}`;
}

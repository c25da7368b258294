import type { JsonValue } from '../snapshot/json.js';
import type { PatternKind } from './kinds.js';

/** What becomes of what is found: a mark with its kind, a mark that is equal for equal values, or nothing. */
export type RedactionMode = 'mask' | 'hash' | 'remove';

export const REDACTION_MODES: readonly RedactionMode[] = ['mask', 'hash', 'remove'];

/** Keys and positions from the top to a value. */
export type RedactionPath = readonly (string | number)[];

/**
 * A user's own redaction of one value: a string, number, boolean or `null`, never a list or an object. Gives the value to
 * go on with, of the same kinds; the patterns see that afterwards. What throws, or gives anything else (a promise,
 * `undefined`, an object, `NaN`), masks the value whole.
 */
export type RedactionRule = (value: string | number | boolean | null, path: RedactionPath) => JsonValue;

export interface RedactionOptions {
  /** Kinds to turn off or on. @default all but `ipv4` and `ipv6` */
  readonly patterns?: Partial<Readonly<Record<PatternKind, boolean>>> | undefined;
  /** Names of more fields whose values are redacted whole, in any case and any of camelCase, snake_case, kebab-case. */
  readonly keys?: readonly string[] | undefined;
  readonly rule?: RedactionRule | undefined;
  /** @default 'mask' */
  readonly mode?: RedactionMode | undefined;
  /** Key of the hashes. Equal values have equal marks wherever it is the same. @default a random one for the process */
  readonly salt?: string | undefined;
}

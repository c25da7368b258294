/** What is found by its form or by the name it stands under; each can be turned off and on by `patterns`. */
export const PATTERN_KINDS = [
  'private_key',
  'webhook_url',
  'credentials',
  'api_key',
  'jwt',
  'bot_token',
  'client_secret',
  'signature',
  'aws_secret',
  'bearer',
  'secret',
  'pii',
  'email',
  'card',
  'iban',
  'ssn',
  'phone',
  'ipv4',
  'ipv6',
] as const;

export type PatternKind = (typeof PATTERN_KINDS)[number];

/**
 * A kind of what was redacted, as marks and counts name it: that of a pattern; `key`, `path` and `rule` by what the user
 * asked for; `cut` for a word that a length limit cut through; `error` for a value that could not be looked through.
 */
export type RedactionKind = PatternKind | 'key' | 'path' | 'rule' | 'cut' | 'error';

/** Addresses of machines are in every log, so they stay where nobody asks for more. */
export const OFF_BY_DEFAULT: ReadonlySet<PatternKind> = new Set(['ipv4', 'ipv6']);

/** Puts marks in the place of what is redacted, and knows what to look for. */
export interface Marker {
  mark(kind: RedactionKind, secret: string): string;
  has(kind: PatternKind): boolean;
}

/** Matches each mark, hashed or not. */
export const ANY_MARK = /\[redacted(?::[a-z0-9_]{1,32}(?::[0-9a-f]{1,64})?)?\]/g;

/** Stands for a whole value where redaction itself failed. */
export const REDACTED = '[redacted]';

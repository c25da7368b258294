import type { createHmac, randomBytes } from 'node:crypto';
import type { Marker, PatternKind, RedactionKind } from './kinds.js';
import { OFF_BY_DEFAULT, PATTERN_KINDS } from './kinds.js';
import type { RedactionOptions } from './options.js';

/** Hexadecimal digits of a hash in a mark: enough to tell values apart, too few to find one by. */
const HASH_DIGITS = 12;

interface Crypto {
  readonly createHmac: typeof createHmac;
  readonly randomBytes: typeof randomBytes;
}

/** Loaded when the first hash is asked for: hardly any program does. */
const crypto = () => process.getBuiltinModule('node:crypto') as Crypto;

let ownSalt: string | undefined;

/** One salt for all redactors of a process that were given none. */
function processSalt(): string {
  ownSalt ??= crypto().randomBytes(32).toString('hex');
  return ownSalt;
}

/** Makes the marks, and counts them by kind. */
export class CountingMarker implements Marker {
  readonly counts: Partial<Record<RedactionKind, number>> = {};
  total = 0;
  readonly #off: ReadonlySet<string>;
  readonly #salt: string | undefined;

  constructor({ patterns, mode, salt }: RedactionOptions) {
    this.#off = new Set(PATTERN_KINDS.filter((kind) => !(patterns?.[kind] ?? !OFF_BY_DEFAULT.has(kind))));
    this.#salt = mode === 'hash' ? (salt ?? processSalt()) : undefined;
  }

  has(kind: PatternKind): boolean {
    return !this.#off.has(kind);
  }

  mark(kind: RedactionKind, secret: string): string {
    this.count(kind);
    if (this.#salt === undefined) return `[redacted:${kind}]`;
    const hash = crypto().createHmac('sha256', this.#salt).update(secret).digest('hex');
    return `[redacted:${kind}:${hash.slice(0, HASH_DIGITS)}]`;
  }

  count(kind: RedactionKind): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    this.total++;
  }
}

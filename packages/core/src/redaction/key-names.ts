import type { Marker, RedactionKind } from './kinds.js';
import { type KeyKind, keyKind, lettersOf } from './secret-keys.js';

/** Words that a name with a secret holds. A superset of what `keyKind` knows: it decides. `TextScan` knows their starts. */
const STEMS =
  'p(?:ass(?:w|phrase|code|\\b)|wd?\\b|hrase|ins?\\b)|_pass|secret|token|api[_ -]?key|key(?:\\b|[_-]id)|' +
  'c(?:reds?\\b|redential|ookie|v[vc]\\b|onn(?:[_-]?str|ection[_ -]?string)|odes?\\b|ode_verifier|lient_assertion)|' +
  'auth(?:orization|\\b)|jwt|bearer|otp\\b|dsn\\b|mnemonic';

/** Matches such a word at one place, and what is written together with it. */
export const STEM_AT = new RegExp(`(?:${STEMS})[A-Za-z0-9_-]{0,40}`, 'iy');

/** The names of fields whose values are redacted: those that everyone has, and those that the user asked for. */
export class KeyNames {
  /** Finds where such a name may be in a text of lower case; absent where the places of a `TextScan` say enough. */
  readonly anywhere: RegExp | undefined;
  readonly #own: ReadonlySet<string>;
  readonly #hasSecret: boolean;
  readonly #hasPersonal: boolean;

  constructor(marker: Marker, own: readonly string[] = []) {
    this.#own = new Set(own.map(lettersOf).filter((name) => name !== ''));
    this.#hasSecret = marker.has('secret');
    this.#hasPersonal = marker.has('pii');
    const stems = own.map(stemOf).filter((stem) => stem !== '');
    const all = `(?:${[...stems, STEMS].join('|')})[a-z0-9_-]{0,40}`;
    this.anywhere = stems.length === 0 ? undefined : new RegExp(all, 'g');
  }

  kindOf(name: string): KeyKind | undefined {
    if (this.#own.size > 0 && this.#own.has(lettersOf(name))) return 'own';
    const kind = keyKind(name);
    if (kind === undefined) return undefined;
    return (kind === 'pii' ? this.#hasPersonal : this.#hasSecret) ? kind : undefined;
  }
}

/** How a name of the user's may be written in a text: its words joined by anything usual, or by nothing. */
function stemOf(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== '').join('[_ .-]?');
}

/** What a mark calls a value under a name of this kind. */
export function markOf(kind: KeyKind): RedactionKind {
  if (kind === 'own') return 'key';
  return kind === 'pii' ? 'pii' : 'secret';
}

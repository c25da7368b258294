import type { JsonValue } from '../snapshot/json.js';
import { checkRedactionOptions } from './check-options.js';
import { TextSearch } from './flat-text.js';
import { withoutInvisible } from './invisible.js';
import { KeyNames, markOf } from './key-names.js';
import { ANY_MARK, REDACTED, type RedactionKind } from './kinds.js';
import { CountingMarker } from './marker.js';
import type { RedactionMode, RedactionOptions, RedactionPath, RedactionRule } from './options.js';
import type { KeyKind } from './secret-keys.js';
import { ruled } from './user-rule.js';
import { redactEntry, redactTree, type Tree } from './value-tree.js';

/** JSON in JSON in JSON: how deep it is read; below that it is searched as text. */
const DEEPEST_JSON = 5;
const LONGEST_KNOWN = 64;
const MOST_KNOWN = 1000;
/** No pattern matches fewer characters. */
const SHORTEST = 4;

/**
 * Finds secrets and personal data in texts and JSON data, and puts marks in their place. Fails closed: what cannot be
 * looked through becomes `[redacted]`. Takes time linear in what it is given. Keeps no text; counts what it redacts.
 *
 * ```ts
 * const redactor = new Redactor({ patterns: { ipv4: true }, keys: ['customerName'], mode: 'hash', salt });
 * redactor.text('password=hunter2'); // password=[redacted:secret:1b2c…]
 * ```
 */
export class Redactor {
  readonly #marker: CountingMarker;
  readonly #names: KeyNames;
  readonly #search: TextSearch;
  readonly #rule: RedactionRule | undefined;
  readonly #mode: RedactionMode;
  readonly #tree: Tree;
  readonly #parsedTree: Tree;
  readonly #cleanNames = new Set<string>();
  #jsonDepth = 0;

  /** @throws ObserverError `HO_OPTION` for a wrong option. */
  constructor(options: RedactionOptions = {}) {
    checkRedactionOptions(options);
    this.#mode = options.mode ?? 'mask';
    this.#rule = options.rule;
    this.#marker = new CountingMarker(options);
    this.#names = new KeyNames(this.#marker, options.keys);
    this.#search = new TextSearch(this.#names, this.#marker);
    this.#tree = {
      kindOf: (name) => this.#names.kindOf(name),
      mark: (kind, value) => this.#marked(kind, value),
      leaf: (value, path) => this.#leaf(value, path),
      name: (name) => this.#cleanName(name),
      hasPaths: options.rule !== undefined,
      copies: true,
    };
    // What was parsed here is nobody else's.
    this.#parsedTree = { ...this.#tree, copies: false };
  }

  /** How often each kind was redacted. What a later find covers was counted before as well. */
  get counts(): Readonly<Partial<Record<RedactionKind, number>>> {
    return { ...this.#marker.counts };
  }

  /** Sum of `counts`. */
  get redactedValues(): number {
    return this.#marker.total;
  }

  /**
   * `text` with marks as `[redacted:<kind>]`; the words around them stay. Text that is JSON, a list or an object, is
   * looked through by its keys, and is valid JSON afterwards; unless something was found in it, it stays as it was written.
   */
  text(text: string, path: RedactionPath = []): string {
    try {
      const result = this.#leafText(text, path);
      return typeof result === 'string' ? result : JSON.stringify(result);
    } catch {
      return this.#failed();
    }
  }

  /** A copy of JSON data with all texts of it redacted, and whole values under names that tell a secret, at any depth. */
  value(value: JsonValue, path: RedactionPath = []): JsonValue {
    return this.#closed(() => this.#nearAwsKeys(() => redactTree(value, path, this.#tree)));
  }

  /** The value of a field by its name as well. `undefined`, for a value that is to be removed with its name. */
  entry(name: string, value: JsonValue, path: RedactionPath = [name]): JsonValue | undefined {
    return this.#closed(() => this.#nearAwsKeys(() => redactEntry(value, this.#names.kindOf(name), path, this.#tree)));
  }

  /** Text that is a name: searched as text, and no rule is asked. */
  name(name: string): string {
    return this.#closed(() => this.#cleanName(name));
  }

  /** The mark for something found elsewhere. `undefined` where it is to be removed. */
  mark(kind: RedactionKind, value: string): string | undefined {
    return this.#marked(kind, value);
  }

  #closed<T>(work: () => T): T | string {
    try {
      return work();
    } catch {
      return this.#failed();
    }
  }

  #failed(): string {
    this.#jsonDepth = 0;
    this.#search.isNearAwsKey = false;
    this.#marker.count('error');
    return this.#mode === 'remove' ? '' : REDACTED;
  }

  #marked(kind: KeyKind | RedactionKind, value: JsonValue): string | undefined {
    const named = kind === 'rule' || kind === 'path' || kind === 'error' ? kind : markOf(kind as KeyKind);
    if (this.#mode === 'remove') {
      this.#marker.count(named);
      return undefined;
    }
    return this.#marker.mark(named, typeof value === 'string' ? value : JSON.stringify(value));
  }

  /** Once more with what is known only at the end: that the data hold an AWS key id, so that its secret is near. */
  #nearAwsKeys<T extends JsonValue | undefined>(work: () => T): T {
    if (this.#search.isNearAwsKey) return work();
    this.#search.sawAwsKey = false;
    const result = work();
    if (!this.#search.sawAwsKey) return result;
    this.#search.isNearAwsKey = true;
    const again = work();
    this.#search.isNearAwsKey = false;
    return again;
  }

  #leaf(value: string | number | boolean | null, path: RedactionPath): JsonValue | undefined {
    if (typeof value === 'string') return this.#leafText(value, path);
    const own = this.#rule === undefined ? value : ruled(this.#rule, value, path);
    if (own === undefined) return this.#marked('rule', value);
    if (typeof own === 'string') return this.#plainText(own);
    return typeof own === 'number' ? this.#number(own) : own;
  }

  #leafText(text: string, path: RedactionPath): JsonValue {
    const json = this.#json(text, path);
    if (json !== undefined) return json;
    if (this.#rule === undefined) return this.#plainText(text);
    const own = ruled(this.#rule, text, path);
    if (own === undefined) return this.#marked('rule', text) ?? '';
    return typeof own === 'string' ? this.#plainText(own) : own;
  }

  /** A text that is JSON, redacted as such; `undefined` for any other. */
  #json(text: string, path: RedactionPath): string | undefined {
    if (this.#jsonDepth >= DEEPEST_JSON || !mayBeJson(text)) return undefined;
    let parsed: JsonValue;
    try {
      parsed = JSON.parse(text) as JsonValue;
    } catch {
      return undefined;
    }
    const before = this.#marker.total;
    this.#jsonDepth++;
    const redacted = this.#nearAwsKeys(() => redactTree(parsed, path, this.#parsedTree));
    this.#jsonDepth--;
    const isChanged = this.#marker.total !== before || this.#rule !== undefined;
    const written = JSON.stringify(isChanged ? redacted : parsed);
    if (isChanged || written === text || JSON.stringify(parsed, null, 2) === text) return isChanged ? written : text;
    // The parser keeps the last of two fields of one name; the other one may have something to hide as well.
    return this.#plainText(text) === text ? text : written;
  }

  #plainText(text: string): string {
    if (text.length < SHORTEST) return text;
    let result = this.#search.redact(text);
    if (result === text && !isAscii(text)) {
      const bare = withoutInvisible(text);
      const found = bare === text ? bare : this.#search.redact(bare);
      if (found !== bare) result = found;
    }
    return this.#mode === 'remove' && result !== text ? result.replace(ANY_MARK, '') : result;
  }

  /** Data have few names, again and again. */
  #cleanName(name: string): string {
    if (this.#cleanNames.has(name)) return name;
    const redacted = this.#plainText(name);
    if (redacted === name && name.length <= LONGEST_KNOWN) {
      if (this.#cleanNames.size >= MOST_KNOWN) this.#cleanNames.clear();
      this.#cleanNames.add(name);
    }
    return redacted;
  }

  #number(value: number): JsonValue {
    // Neither a card number nor a telephone number has fewer digits.
    if (value < SMALLEST_CARD) return value;
    const text = String(value);
    const masked = this.#plainText(text);
    return masked === text ? value : masked;
  }
}

/** A loop costs less than a call of the runtime for a short text. */
function isAscii(text: string): boolean {
  if (text.length > 48) return Buffer.byteLength(text) === text.length;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

/** The shortest card number has 14 digits. */
const SMALLEST_CARD = 1e13;

function mayBeJson(text: string): boolean {
  const first = edge(text, 0, 1);
  const last = edge(text, text.length - 1, -1);
  return (first === '{' && last === '}') || (first === '[' && last === ']') || (first === '"' && last === '"');
}

const WIDEST_EDGE = 64;

/** The first character that is no space, from one end of the text. */
function edge(text: string, from: number, step: number): string | undefined {
  for (let i = from, n = 0; n < WIDEST_EDGE; i += step, n++) {
    const code = text.charCodeAt(i);
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return text[i];
  }
  return undefined;
}

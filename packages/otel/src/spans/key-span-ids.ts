import type { SpanIdSource } from '../provider/span.js';
import { type HashState, hashParts, hashText, spanId } from './span-id.js';

/**
 * Span ids of one kind in one scope, by key. Nothing is hashed before an id is asked for, which is mostly when its span is
 * exported, and what keys have in common is hashed once.
 */
export class KeySpanIds implements SpanIdSource {
  readonly #traceId: string;
  readonly #kind: string;
  readonly #scope: string;
  readonly #ofChild: boolean;
  #state: HashState | undefined = undefined;
  #afterScope: HashState | undefined = undefined;

  /** @param ofChild The scope is a child's own and no turn of it: an empty part goes before. */
  constructor(traceId: string, kind: string, scope: string, ofChild: boolean) {
    this.#traceId = traceId;
    this.#kind = kind;
    this.#scope = scope;
    this.#ofChild = ofChild;
  }

  /** The hash after trace id, kind and scope. */
  get state(): HashState {
    this.#state ??= hashParts([this.#traceId, this.#kind, ...(this.#ofChild ? [''] : []), this.#scope]);
    return this.#state;
  }

  spanId(key: string, ordinal: number): string {
    const scope = this.#scope;
    // Agents make the id of a request of the turn's, a colon and more.
    if (key.charCodeAt(scope.length) !== COLON || key.slice(0, scope.length) !== scope) {
      return spanId(this.state, key, undefined, ordinal);
    }
    this.#afterScope ??= hashText(scope, this.state);
    return spanId(this.#afterScope, key, undefined, ordinal);
  }
}

const COLON = 0x3a;

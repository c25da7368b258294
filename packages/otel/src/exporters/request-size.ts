import type { EncodedSpan, Encoding, Group, Resourced } from '../encoding/encoding.js';

/** Bytes of a request as spans come into it, at most. */
export class RequestSize {
  readonly #encoding: Encoding;
  readonly #resources = new Set<Resourced>();
  readonly #groups = new Set<Group>();
  #bytes: number;

  constructor(encoding: Encoding) {
    this.#encoding = encoding;
    this.#bytes = encoding.requestBytes;
  }

  /** Of the request with one more span. */
  with({ group, bytes }: EncodedSpan): number {
    if (this.#groups.has(group)) return this.#bytes + bytes;
    const resource = this.#resources.has(group.resource) ? 0 : group.resource.bytes;
    return this.#bytes + bytes + group.bytes + resource;
  }

  add(span: EncodedSpan): void {
    this.#bytes = this.with(span);
    this.#groups.add(span.group);
    this.#resources.add(span.group.resource);
  }

  reset(): void {
    this.#groups.clear();
    this.#resources.clear();
    this.#bytes = this.#encoding.requestBytes;
  }
}

import type { InstrumentationScope, ReadableSpan, Resource } from '../sdk/types.js';
import type { EncodedSpan, Encoding, Group, Resourced } from './encoding.js';
import type { GrowingBytes } from './growing-bytes.js';
import { withSafeFields } from './safe-fields.js';

const FIRST_BYTES = 64 * 1024;
const MOST_FIRST_BYTES = 4 * 1024 * 1024;
const ROOM = 1.1;

/** Encodes spans one by one. What many of them share is encoded once. */
export class SpanEncoder {
  readonly encoding: Encoding;
  #arena: GrowingBytes | undefined;
  readonly #resources = new WeakMap<Resource, Resourced>();
  readonly #groups = new WeakMap<Resourced, Map<string, Group>>();
  readonly #lastGroups = new WeakMap<InstrumentationScope, Group>();

  constructor(encoding: Encoding) {
    this.encoding = encoding;
  }

  /** Further spans are encoded behind one another, until this is called again. Those before keep their place. */
  begin(): void {
    // The next lot is likely to be as large as this one.
    const bytes = this.#arena?.size ?? FIRST_BYTES;
    this.#arena = this.encoding.arena(Math.min(Math.max(Math.ceil(bytes * ROOM), FIRST_BYTES), MOST_FIRST_BYTES));
  }

  /** `undefined` for a span that cannot be written, such as one whose values throw when they are read. */
  encode(span: ReadableSpan): EncodedSpan | undefined {
    if (this.#arena === undefined) this.begin();
    const arena = this.#arena as GrowingBytes;
    const start = arena.size;
    try {
      const group = this.#group(span);
      this.encoding.span(arena, withSafeFields(span));
      return { arena, start, bytes: arena.size - start, group };
    } catch {
      arena.truncate(start);
      return undefined;
    }
  }

  #group({ resource, instrumentationScope: scope }: ReadableSpan): Group {
    const resourced = this.#resourced(resource);
    // All spans of a tracer have one scope object.
    const last = this.#lastGroups.get(scope);
    if (last !== undefined && last.resource === resourced) return last;
    let groups = this.#groups.get(resourced);
    if (groups === undefined) {
      groups = new Map();
      this.#groups.set(resourced, groups);
    }
    const key = `${scope.name}@${scope.version ?? ''}:${scope.schemaUrl ?? ''}`;
    let group = groups.get(key);
    if (group === undefined) {
      const piece = this.encoding.scope(scope);
      const { schemaUrl } = scope;
      group = { resource: resourced, scope: piece, schemaUrl, bytes: this.encoding.scopeBytes(piece, schemaUrl) };
      groups.set(key, group);
    }
    this.#lastGroups.set(scope, group);
    return group;
  }

  #resourced(resource: Resource): Resourced {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const piece = this.encoding.resource(resource);
    const { schemaUrl } = resource;
    const resourced = { resource: piece, schemaUrl, bytes: this.encoding.resourceBytes(piece, schemaUrl) };
    // One whose attributes are still looked for is encoded anew until they are there.
    if (resource.asyncAttributesPending !== true) this.#resources.set(resource, resourced);
    return resourced;
  }
}

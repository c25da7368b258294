import { copySpan, createResource, type ReadableSpan } from '@hermes-observer/otel';
import type { Attributes, AttributeValue } from '@opentelemetry/api';
import { ATTR_HERMES_EXPORT_LEFT_OUT_ATTRIBUTES } from '../semconv.js';
import { SourceSpan } from '../source/source-span.js';
import { SPAN_ROLES, type SpanRole } from '../source/span-role.js';
import type { FlatList, MappingRow, Profile } from './profile.js';

/** What SDKs and many backends take. */
const DEFAULT_MAX_ATTRIBUTES = 128;

export interface SpanMapperOptions {
  /**
   * Attributes that a span may have. What it has already always stays; of what profiles add the last rows and the oldest
   * messages are left out, counted on the span as `hermes.export.left_out_attributes`. @default 128
   */
  readonly maxAttributes?: number | undefined;
}

/** A row that has a value for a span, and what of the span it takes the place of. */
interface Found {
  readonly name: string;
  readonly value: AttributeValue;
  readonly moved: readonly string[];
}

/** Spans under the names of one profile or of several at once. The spans that are given stay as they are. */
export class SpanMapper {
  readonly #profiles: readonly Profile[];
  readonly #rows: ReadonlyMap<SpanRole, readonly MappingRow[]>;
  readonly #max: number;
  readonly #keepsAll: boolean;
  readonly #resources = new WeakMap<object, ReadableSpan['resource']>();
  readonly #scopes = new WeakMap<object, ReadableSpan['instrumentationScope']>();
  readonly #resource: Attributes | undefined;
  readonly #schemaUrl: string | undefined;
  /** Attributes that did not fit, of all spans so far. */
  leftOutAttributes = 0;

  constructor(profiles: readonly Profile[], { maxAttributes = DEFAULT_MAX_ATTRIBUTES }: SpanMapperOptions = {}) {
    this.#profiles = profiles;
    this.#max = maxAttributes;
    this.#keepsAll = profiles.some((profile) => profile.keepsAll);
    const rows = profiles.flatMap((profile) => profile.rows.map((row) => this.#withMoves(row, profile)));
    this.#rows = new Map(SPAN_ROLES.map((role) => [role, rows.filter(({ on }) => on.includes(role))]));
    const resource = Object.assign({}, ...profiles.map((profile) => profile.resource)) as Attributes;
    this.#resource = Object.keys(resource).length === 0 ? undefined : resource;
    this.#schemaUrl = profiles.find((profile) => profile.schemaUrl !== undefined)?.schemaUrl;
  }

  map(span: ReadableSpan): ReadableSpan {
    const source = new SourceSpan(span);
    const { attributes, leftOut } = this.#attributesOf(source);
    this.leftOutAttributes += leftOut;
    const changes: { -readonly [Field in keyof ReadableSpan]?: ReadableSpan[Field] } = { attributes };
    if (leftOut > 0) changes.droppedAttributesCount = span.droppedAttributesCount + leftOut;
    for (const { status } of this.#profiles) {
      const other = status?.(source);
      if (other !== undefined) changes.status = other;
    }
    if (this.#resource !== undefined) changes.resource = this.#resourceOf(span.resource, this.#resource);
    if (this.#schemaUrl !== undefined && source.role !== 'other') {
      changes.instrumentationScope = this.#scopeOf(span.instrumentationScope, this.#schemaUrl);
    }
    return copySpan(span, changes);
  }

  #withMoves(row: MappingRow, profile: Profile): MappingRow {
    if (!this.#keepsAll || profile.keepsAll === true || row.moves === undefined) return row;
    return { ...row, moves: row.moves.filter((name) => name === row.name) };
  }

  #attributesOf(source: SourceSpan): { attributes: Attributes; leftOut: number } {
    const own = source.attributes;
    const found: Found[] = [];
    const had = countOf(own);
    const movedByAny = new Set<string>();
    for (const row of this.#rows.get(source.role) as readonly MappingRow[]) {
      const { name, moves } = row;
      // What the application put there itself stays.
      if (own[name] !== undefined && moves?.includes(name) !== true) continue;
      const value = row.value(source);
      if (value === undefined) continue;
      const moved = moves?.filter((each) => own[each] !== undefined && !movedByAny.has(each)) ?? [];
      for (const each of moved) movedByAny.add(each);
      found.push({ name, value, moved });
    }
    const lists = this.#profiles.flatMap(({ list }) => list?.(source) ?? []);
    const wanted = lists.reduce((sum, { size }) => sum + size, had + found.length - movedByAny.size);
    return wanted <= this.#max
      ? { attributes: withAll(own, movedByAny, found, lists), leftOut: 0 }
      : this.#cut(own, had, found, lists);
  }

  /** As many as there is room for: what was there, the first rows, the most important of lists. */
  #cut(own: Attributes, had: number, found: readonly Found[], lists: readonly FlatList[]) {
    // One is for saying so.
    const most = this.#max - 1;
    let size = had;
    const put: Found[] = [];
    const moved = new Set<string>();
    for (const row of found) {
      const grown = size + 1 - row.moved.length;
      if (grown > most) continue;
      size = grown;
      put.push(row);
      for (const each of row.moved) moved.add(each);
    }
    let leftOut = found.length - put.length;
    const attributes = withAll(own, moved, put, []);
    for (const list of lists) {
      const entries = list.fit(Math.max(0, most - size));
      for (const [name, value] of entries) attributes[name] = value;
      size += entries.length;
      leftOut += list.size - entries.length;
    }
    attributes[ATTR_HERMES_EXPORT_LEFT_OUT_ATTRIBUTES] = leftOut;
    return { attributes, leftOut };
  }

  /** One for each given, so that encoders still find spans of one resource together. */
  #resourceOf(resource: ReadableSpan['resource'], further: Attributes): ReadableSpan['resource'] {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const made = createResource({ ...resource.attributes, ...further }, resource.schemaUrl);
    if (resource.asyncAttributesPending !== true) this.#resources.set(resource, made);
    return made;
  }

  #scopeOf(scope: ReadableSpan['instrumentationScope'], schemaUrl: string): ReadableSpan['instrumentationScope'] {
    let made = this.#scopes.get(scope);
    if (made === undefined) {
      made = { ...scope, schemaUrl };
      this.#scopes.set(scope, made);
    }
    return made;
  }
}

/** Made anew rather than changed: an object that something is deleted from is slow from then on. */
function withAll(
  own: Attributes,
  moved: ReadonlySet<string>,
  found: readonly Found[],
  lists: readonly FlatList[],
): Attributes {
  const attributes: Attributes = {};
  for (const name in own) {
    const value = own[name];
    // That one is no name: to set it would give the object another prototype.
    if (value !== undefined && !moved.has(name) && name !== '__proto__') attributes[name] = value;
  }
  for (const { name, value } of found) attributes[name] = value;
  for (const list of lists) for (const [name, value] of list.fit(list.size)) attributes[name] = value;
  return attributes;
}

function countOf(attributes: Attributes): number {
  let count = 0;
  for (const name in attributes) if (attributes[name] !== undefined) count++;
  return count;
}

import { now } from '@hermes-observer/core';
import type {
  Attributes,
  AttributeValue,
  Exception,
  HrTime,
  Link,
  SpanContext,
  SpanKind,
  SpanStatus,
  TimeInput,
} from '@opentelemetry/api';
import { error as logError, warn } from '../api/diag.js';
import { STATUS_ERROR, STATUS_OK, STATUS_UNSET } from '../api/span-codes.js';
import { SAMPLED } from '../api/span-context.js';
import type { ReadableSpan, Resource, Span, SpanLimits, TimedEvent } from '../sdk/types.js';
import { cleanAttributes, cleanValue } from './attribute-values.js';
import { isBefore, isTimeInput, timeBetween, toHrTime } from './clock.js';
import { exceptionAttributes } from './exception-attributes.js';

/** What all spans of one tracer share, and where they report their end. */
export interface SpanOwner {
  readonly resource: Resource;
  readonly scope: ReadableSpan['instrumentationScope'];
  readonly limits: Required<SpanLimits>;
  /** So many valid attributes can be kept as they are: no limit cuts their number or their values. */
  hasRoomFor(attributes: number): boolean;
  ending(span: ObserverSpan): void;
  ended(span: ObserverSpan): void;
}

/** Makes the id of a span from what is its own; see `ObserverTracer.startKnown`. */
export interface SpanIdSource {
  /** 16 hex digits, not all zero; always the same for the same arguments. */
  spanId(key: string, ordinal: number): string;
}

/** What few spans have. */
interface Extras {
  status: SpanStatus;
  links: Link[] | undefined;
  events: TimedEvent[] | undefined;
  droppedAttributes: number;
  droppedEvents: number;
  droppedLinks: number;
}

const OPEN = 0;
const ENDING = 1;
const ENDED = 2;
const STATE_MASK = 3;
const KIND_SHIFT = 2;
const UNSET: SpanStatus = Object.freeze({ code: STATUS_UNSET });
const NO_LINKS = Object.freeze([]) as unknown as Link[];
const NO_EVENTS = Object.freeze([]) as unknown as TimedEvent[];
const NO_TIME = Object.freeze([0, 0]) as unknown as HrTime;
const NO_DURATION = Object.freeze([-1, -1]) as unknown as HrTime;

/**
 * An API `Span` and a `ReadableSpan` in one object, with the semantics of the SDK's span. Built for many open spans:
 * what all spans of a tracer share is read from there, and lists are made when something is put into them.
 * Fields with `_` are not for callers; they are no `#private` ones so that a `Proxy` or a derived object works.
 */
export class ObserverSpan implements Span {
  declare name: string;
  declare readonly parentSpanContext?: SpanContext;
  declare readonly startTime: HrTime;
  declare endTime: HrTime;
  declare private readonly _attributes: Attributes;
  /** What `endWith()` brought, until somebody reads the attributes. */
  declare private _late: Attributes | undefined;
  /** The id, or what makes it of the two below when it is first asked for: mostly when the span is exported. */
  declare private _id: string | SpanIdSource;
  declare private _idKey: string | undefined;
  declare private _idOrdinal: number;
  /** Made when it is first asked for, unless there is more in it than an id below a parent of a sampled trace. */
  declare private _context: SpanContext | undefined;
  declare private readonly _owner: SpanOwner;
  /** Whether it is open, ending or ended, and its kind in the bits above: a field less for each open span. */
  declare private _stateAndKind: number;
  /** At least the number of attributes; counted anew only when it reaches the limit. */
  declare private _attributesAtMost: number;
  declare private _extras: Extras | undefined;

  /**
   * All that is given is kept as it is; `startedSpan()` makes it of what a caller gives. Short, so that it becomes a part of the
   * code that calls it. @param context `undefined` below a sampled parent without trace state
   * @internal
   */
  constructor(
    owner: SpanOwner,
    context: SpanContext | undefined,
    id: string | SpanIdSource,
    idKey: string | undefined,
    idOrdinal: number,
    parent: SpanContext | undefined,
    name: string,
    kind: SpanKind,
    startTime: HrTime,
    attributes: Attributes,
    attributesAtMost: number,
  ) {
    this.name = name;
    // Always set, `undefined` for a root: all spans have one hidden class.
    this.parentSpanContext = parent as SpanContext;
    this.startTime = startTime;
    this.endTime = NO_TIME;
    this._id = id;
    this._idKey = idKey;
    this._idOrdinal = idOrdinal;
    this._context = context;
    this._owner = owner;
    this._stateAndKind = OPEN | (kind << KIND_SHIFT);
    this._extras = undefined;
    this._late = undefined;
    this._attributes = attributes;
    this._attributesAtMost = attributesAtMost;
  }

  get kind(): SpanKind {
    return this._stateAndKind >> KIND_SHIFT;
  }

  get status(): SpanStatus {
    return this._extras?.status ?? UNSET;
  }

  get attributes(): Attributes {
    const { _attributes: attributes, _late: late } = this;
    if (late === undefined) return attributes;
    this._late = undefined;
    for (const key in late) {
      const value = late[key];
      if (value !== undefined) attributes[key] = value;
    }
    return attributes;
  }

  /**
   * `attributes` as they are kept, in one object or two of which the second counts; absent values are `undefined`.
   * @internal
   */
  get attributeParts(): readonly [Attributes, Attributes | undefined] {
    return [this._attributes, this._late];
  }

  get links(): Link[] {
    return this._extras?.links ?? NO_LINKS;
  }

  get events(): TimedEvent[] {
    return this._extras?.events ?? NO_EVENTS;
  }

  get duration(): HrTime {
    return this.endTime === NO_TIME ? NO_DURATION : timeBetween(this.startTime, this.endTime);
  }

  get ended(): boolean {
    return this._state === ENDED;
  }

  get resource(): Resource {
    return this._owner.resource;
  }

  get instrumentationScope(): ReadableSpan['instrumentationScope'] {
    return this._owner.scope;
  }

  get droppedAttributesCount(): number {
    return this._extras === undefined ? 0 : this._extras.droppedAttributes;
  }

  get droppedEventsCount(): number {
    return this._extras === undefined ? 0 : this._extras.droppedEvents;
  }

  get droppedLinksCount(): number {
    return this._extras === undefined ? 0 : this._extras.droppedLinks;
  }

  spanContext(): SpanContext {
    this._context ??= { traceId: this.traceId, spanId: this.spanId, traceFlags: SAMPLED };
    return this._context;
  }

  /** As the flags of `spanContext()` say. */
  get isSampled(): boolean {
    return this._context === undefined || (this._context.traceFlags & SAMPLED) !== 0;
  }

  get traceId(): string {
    return (this._context ?? (this.parentSpanContext as SpanContext)).traceId;
  }

  /** Its id was not asked for, and can be made of what it was started with. @internal */
  get isDerived(): boolean {
    return typeof this._id !== 'string';
  }

  get spanId(): string {
    if (typeof this._id === 'string') return this._id;
    this._id = this._id.spanId(this._idKey as string, this._idOrdinal);
    this._idKey = undefined;
    return this._id;
  }

  /** Its ids and that it is sampled are all that there is to `spanContext()`. @internal */
  get isPlain(): boolean {
    return this._context === undefined || (this.isSampled && this._context.traceState === undefined);
  }

  isRecording(): boolean {
    return this._state !== ENDED;
  }

  setAttribute(key: string, value: AttributeValue | undefined): this {
    if (!this._isOver()) this._set(key, value);
    return this;
  }

  private _set(key: string, value: AttributeValue | undefined): void {
    if (value === undefined || value === null) return;
    const { attributeCountLimit, attributeValueLengthLimit } = this._owner.limits;
    const clean = cleanValue(key, value, attributeValueLengthLimit);
    if (clean === undefined) return;
    const { attributes } = this;
    if (this._attributesAtMost >= attributeCountLimit) {
      this._attributesAtMost = Object.keys(attributes).length;
      if (this._attributesAtMost >= attributeCountLimit && !Object.hasOwn(attributes, key)) {
        this._more().droppedAttributes++;
        return;
      }
    }
    attributes[key] = clean;
    this._attributesAtMost++;
  }

  setAttributes(attributes: Attributes): this {
    if (this._isOver()) return this;
    for (const key of Object.keys(attributes)) this._set(key, attributes[key]);
    return this;
  }

  addEvent(name: string, attributesOrTime?: Attributes | TimeInput, time?: TimeInput): this {
    if (this._isOver()) return this;
    const { eventCountLimit, attributePerEventCountLimit, attributeValueLengthLimit } = this._owner.limits;
    if (eventCountLimit === 0) {
      this._more().droppedEvents++;
      return this;
    }
    const hasTime = isTimeInput(attributesOrTime);
    const { attributes, dropped } = cleanAttributes(
      hasTime ? undefined : attributesOrTime,
      attributePerEventCountLimit,
      attributeValueLengthLimit,
    );
    const extras = this._more();
    extras.events ??= [];
    if (extras.events.length >= eventCountLimit) {
      extras.events.shift();
      extras.droppedEvents++;
    }
    const at = hasTime && !isTimeInput(time) ? attributesOrTime : time;
    extras.events.push({ name, attributes, time: toHrTime(at), droppedAttributesCount: dropped });
    return this;
  }

  addLink(link: Link): this {
    if (this._isOver()) return this;
    const { linkCountLimit, attributePerLinkCountLimit, attributeValueLengthLimit } = this._owner.limits;
    if (linkCountLimit === 0) {
      this._more().droppedLinks++;
      return this;
    }
    const kept: Link = { context: link.context };
    const { attributes, count, dropped } = cleanAttributes(
      link.attributes,
      attributePerLinkCountLimit,
      attributeValueLengthLimit,
    );
    if (count > 0) kept.attributes = attributes;
    if (dropped > 0) kept.droppedAttributesCount = dropped;
    const extras = this._more();
    extras.links ??= [];
    if (extras.links.length >= linkCountLimit) {
      extras.links.shift();
      extras.droppedLinks++;
    }
    extras.links.push(kept);
    return this;
  }

  addLinks(links: Link[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  setStatus(status: SpanStatus): this {
    if (this._isOver() || status.code === STATUS_UNSET || this.status.code === STATUS_OK) return this;
    const { code, message } = status;
    this._more().status = code === STATUS_ERROR && typeof message === 'string' ? { code, message } : { code };
    return this;
  }

  updateName(name: string): this {
    if (!this._isOver()) this.name = name;
    return this;
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const attributes = exceptionAttributes(exception);
    if (attributes === undefined) warn('Exception not recorded: it has neither a name, a code nor a message.');
    else this.addEvent('exception', attributes, time);
  }

  /**
   * Sets attributes and ends the span. The caller made the object for this span, vouches that every value in it is valid
   * or `undefined`, and that there are no more than `atMost`, and does not use it again.
   * @internal
   */
  endWith(attributes: Attributes, atMost: number, endTime: TimeInput | undefined): void {
    const isRoomy = this._owner.hasRoomFor(this._attributesAtMost + atMost);
    if (isRoomy && this._state === OPEN && this._late === undefined) {
      // To merge two objects costs more than all the rest of an end; who exports does it, off the caller's stack.
      this._late = attributes;
      this._attributesAtMost += atMost;
    } else {
      this.setAttributes(attributes);
    }
    this.end(endTime);
  }

  end(endTime?: TimeInput): void {
    if (this._state !== OPEN) {
      logError(`${this.name} ${this.traceId}-${this.spanId}: end() was called before.`);
      return;
    }
    this._state = ENDING;
    const end = endTime === undefined ? now() : toHrTime(endTime);
    if (isBefore(end, this.startTime)) {
      warn(`${this.name}: the end is before the start; the span gets zero length.`);
      this.endTime = this.startTime;
    } else {
      this.endTime = end;
    }
    this._owner.ending(this);
    this._state = ENDED;
    this._owner.ended(this);
  }

  /** Of attributes that were over a limit. @internal */
  countDropped(attributes: number): void {
    this._more().droppedAttributes += attributes;
  }

  private get _state(): number {
    return this._stateAndKind & STATE_MASK;
  }

  private set _state(state: number) {
    this._stateAndKind = (this._stateAndKind & ~STATE_MASK) | state;
  }

  private _isOver(): boolean {
    if (this._state !== ENDED) return false;
    warn(`Span ${this.traceId}-${this.spanId} has ended; the change is ignored.`);
    return true;
  }

  private _more(): Extras {
    this._extras ??= {
      status: UNSET,
      links: undefined,
      events: undefined,
      droppedAttributes: 0,
      droppedEvents: 0,
      droppedLinks: 0,
    };
    return this._extras;
  }
}

/** Whether an exporter is to get the span. @internal */
export function isSampled(span: ReadableSpan): boolean {
  return span instanceof ObserverSpan ? span.isSampled : (span.spanContext().traceFlags & SAMPLED) !== 0;
}

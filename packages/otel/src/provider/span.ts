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
import { diag, SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan, Resource, Span, SpanLimits, TimedEvent } from '../sdk/types.js';
import { cleanAttributes, cleanValue, countIfClean } from './attribute-values.js';
import { isBefore, isTimeInput, timeBetween, toHrTime } from './clock.js';
import { exceptionAttributes } from './exception-attributes.js';

/** What all spans of one tracer share, and where they report their end. */
export interface SpanOwner {
  readonly resource: Resource;
  readonly scope: ReadableSpan['instrumentationScope'];
  readonly limits: Required<SpanLimits>;
  ending(span: ObserverSpan): void;
  ended(span: ObserverSpan): void;
}

interface Dropped {
  attributes: number;
  events: number;
  links: number;
}

const OPEN = 0;
const ENDING = 1;
const ENDED = 2;
const UNSET: SpanStatus = Object.freeze({ code: SpanStatusCode.UNSET });
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
  declare readonly kind: SpanKind;
  declare readonly parentSpanContext?: SpanContext;
  declare readonly startTime: HrTime;
  declare endTime: HrTime;
  declare status: SpanStatus;
  declare readonly attributes: Attributes;
  declare private readonly _context: SpanContext;
  declare private readonly _owner: SpanOwner;
  declare private _state: number;
  /** At least the number of attributes; counted anew only when it reaches the limit. */
  declare private _attributesAtMost: number;
  declare private _links: Link[] | undefined;
  declare private _events: TimedEvent[] | undefined;
  declare private _dropped: Dropped | undefined;

  /** `attributes` is not copied if `taken`; see `ObserverSpanOptions.takeAttributes`. */
  constructor(
    owner: SpanOwner,
    context: SpanContext,
    parent: SpanContext | undefined,
    name: string,
    kind: SpanKind,
    startTime: TimeInput | undefined,
    attributes: Attributes | undefined,
    taken: boolean,
    atMost: number | undefined,
    links: readonly Link[] | undefined,
  ) {
    this.name = name;
    this.kind = kind;
    // Always set, `undefined` for a root: all spans have one hidden class.
    this.parentSpanContext = parent as SpanContext;
    this.startTime = startTime === undefined ? now() : toHrTime(startTime);
    this.endTime = NO_TIME;
    this.status = UNSET;
    this._context = context;
    this._owner = owner;
    this._state = OPEN;
    this._links = undefined;
    this._events = undefined;
    this._dropped = undefined;
    const { attributeCountLimit, attributeValueLengthLimit } = owner.limits;
    let count = -1;
    if (taken && atMost !== undefined && atMost <= attributeCountLimit && attributeValueLengthLimit === Infinity) {
      count = atMost;
    } else if (attributes) {
      count = countIfClean(attributes, attributeCountLimit, attributeValueLengthLimit, !taken);
    }
    if (count >= 0) {
      // Not a spread: setting attributes on a spread copy is ten times slower in V8.
      this.attributes = taken ? (attributes as Attributes) : Object.assign({}, attributes);
      this._attributesAtMost = count;
    } else {
      const copy = cleanAttributes(attributes, attributeCountLimit, attributeValueLengthLimit);
      this.attributes = copy.attributes;
      this._attributesAtMost = copy.count;
      if (copy.dropped > 0) this._drop().attributes = copy.dropped;
    }
    if (links !== undefined) this.addLinks(links as Link[]);
  }

  get links(): Link[] {
    return this._links ?? NO_LINKS;
  }

  get events(): TimedEvent[] {
    return this._events ?? NO_EVENTS;
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
    return this._dropped === undefined ? 0 : this._dropped.attributes;
  }

  get droppedEventsCount(): number {
    return this._dropped === undefined ? 0 : this._dropped.events;
  }

  get droppedLinksCount(): number {
    return this._dropped === undefined ? 0 : this._dropped.links;
  }

  spanContext(): SpanContext {
    return this._context;
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
        this._drop().attributes++;
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
      this._drop().events++;
      return this;
    }
    const hasTime = isTimeInput(attributesOrTime);
    const { attributes, dropped } = cleanAttributes(
      hasTime ? undefined : attributesOrTime,
      attributePerEventCountLimit,
      attributeValueLengthLimit,
    );
    this._events ??= [];
    if (this._events.length >= eventCountLimit) {
      this._events.shift();
      this._drop().events++;
    }
    const at = hasTime && !isTimeInput(time) ? attributesOrTime : time;
    this._events.push({ name, attributes, time: toHrTime(at), droppedAttributesCount: dropped });
    return this;
  }

  addLink(link: Link): this {
    if (this._isOver()) return this;
    const { linkCountLimit, attributePerLinkCountLimit, attributeValueLengthLimit } = this._owner.limits;
    if (linkCountLimit === 0) {
      this._drop().links++;
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
    this._links ??= [];
    if (this._links.length >= linkCountLimit) {
      this._links.shift();
      this._drop().links++;
    }
    this._links.push(kept);
    return this;
  }

  addLinks(links: Link[]): this {
    for (const link of links) this.addLink(link);
    return this;
  }

  setStatus(status: SpanStatus): this {
    if (this._isOver() || status.code === SpanStatusCode.UNSET || this.status.code === SpanStatusCode.OK) return this;
    const { code, message } = status;
    this.status = code === SpanStatusCode.ERROR && typeof message === 'string' ? { code, message } : { code };
    return this;
  }

  updateName(name: string): this {
    if (!this._isOver()) this.name = name;
    return this;
  }

  recordException(exception: Exception, time?: TimeInput): void {
    const attributes = exceptionAttributes(exception);
    if (attributes === undefined) diag.warn('Exception not recorded: it has neither a name, a code nor a message.');
    else this.addEvent('exception', attributes, time);
  }

  end(endTime?: TimeInput): void {
    if (this._state !== OPEN) {
      diag.error(`${this.name} ${this._context.traceId}-${this._context.spanId}: end() was called before.`);
      return;
    }
    this._state = ENDING;
    const end = endTime === undefined ? now() : toHrTime(endTime);
    if (isBefore(end, this.startTime)) {
      diag.warn(`${this.name}: the end is before the start; the span gets zero length.`);
      this.endTime = this.startTime;
    } else {
      this.endTime = end;
    }
    this._owner.ending(this);
    this._state = ENDED;
    this._owner.ended(this);
  }

  private _isOver(): boolean {
    if (this._state !== ENDED) return false;
    diag.warn(`Span ${this._context.traceId}-${this._context.spanId} has ended; the change is ignored.`);
    return true;
  }

  private _drop(): Dropped {
    this._dropped ??= { attributes: 0, events: 0, links: 0 };
    return this._dropped;
  }
}

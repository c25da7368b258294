import { type HrTime, type Payload, snapshot } from '@hermes-observer/core';
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { object } from '../assembly/fields.js';
import type { AnyNode, RequestNode, SpanNode, ToolNode } from '../assembly/span-node.js';
import type { AttemptFailure, SpanSink } from '../assembly/span-sink.js';
import { setContent } from '../attributes/content.js';
import { contentText } from '../attributes/content-text.js';
import { attemptAttributes, policyAttributes } from '../attributes/events.js';
import {
  type AttributeOptions,
  addDetails,
  MOST_START_ATTRIBUTES,
  setEndAttributes,
  startAttributes,
} from '../attributes/genai.js';
import {
  ATTR_HERMES_LINK,
  EVENT_HERMES_API_ATTEMPT_FAILED,
  EVENT_HERMES_POLICY_DECISION,
} from '../attributes/semconv.js';
import { spanName } from '../attributes/span-name.js';
import { AttributeBag, type AttributeTarget } from '../attributes/values.js';
import type { ObserverSpanOptions } from '../provider/tracer.js';
import { callerBaggage, callerContext, callerSpan } from './caller-context.js';
import { nodeId } from './node-id.js';
import { traceIdOf } from './span-id.js';

export interface SpanWriterOptions extends AttributeOptions {
  readonly tracer: Tracer;
  /**
   * True when the tracer takes ids: then they are derived from correlation ids and a replay gives the same ones. Any
   * other tracer makes its own.
   */
  readonly derivedIds: boolean;
  /** How a turn relates to the span its caller was in. @default 'parent' */
  readonly caller?: 'parent' | 'link';
  /** Attributes that every span starts with, beside its own. */
  readonly attributes?: Attributes;
  /** Told of what a tracer or processor threw. */
  readonly onError?: (error: unknown) => void;
}

/** Options of a start, used again for the next one. */
interface WriterSpanOptions extends ObserverSpanOptions {
  links: Link[];
  readonly ids: { traceId: string; spanId: string };
}

const NO_LINKS: Link[] = [];

const isSpan = (value: unknown): value is Span => typeof (value as Span | undefined)?.spanContext === 'function';

/** Writes assembled nodes as spans, only through the API's `Tracer` and `Span`. Whatever throws below stays here. */
export class SpanWriter implements SpanSink {
  readonly #options: SpanWriterOptions;
  readonly #bag = new AttributeBag();
  #spare: WriterSpanOptions | undefined = undefined;
  /** Whether any root span was recording; `undefined` before the first one. */
  recording: boolean | undefined = undefined;

  constructor(options: SpanWriterOptions) {
    this.#options = options;
  }

  start(node: AnyNode, payload: Payload): void {
    try {
      this.#start(node, payload);
    } catch (error) {
      this.#failed(error);
    }
  }

  #start(node: AnyNode, payload: Payload): void {
    const { tracer, derivedIds, agentName } = this.#options;
    const options = this.#spanOptions();
    options.kind = node.kind === 'request' || node.kind === 'auxiliary' ? SpanKind.CLIENT : SpanKind.INTERNAL;
    options.startTime = node.start;
    options.attributes = this.#startAttributes(node, payload);
    if (derivedIds) this.#addFirst(options.attributes, node, payload);
    const context = node.parent === undefined ? this.#rootContext(node, options) : contextBelow(node.parent);
    if (derivedIds) {
      const { trace: owner } = node.invocation;
      owner.traceId ??= trace.getSpanContext(context)?.traceId ?? traceIdOf(owner.source);
      options.ids.traceId = owner.traceId;
      options.ids.spanId = nodeId(node, owner.traceId);
    }
    const span = tracer.startSpan(spanName(node, agentName), options, context);
    node.span = span;
    if (node.parent === undefined && this.recording !== true) this.recording = span.isRecording();
    this.#spare = options;
    if (!derivedIds) span.setAttributes(this.#addFirst({}, node, payload));
  }

  /** The options object of the last start, unless that start is still running: a processor may start spans itself. */
  #spanOptions(): WriterSpanOptions {
    const options = this.#spare ?? {
      kind: SpanKind.INTERNAL,
      startTime: [0, 0],
      attributes: {},
      links: [],
      takeAttributes: true,
      // Attributes of the user's own are not vouched for.
      ...(this.#options.attributes === undefined ? { attributesAtMost: MOST_START_ATTRIBUTES } : {}),
      ids: { traceId: '', spanId: '' },
    };
    this.#spare = undefined;
    options.links = NO_LINKS;
    return options;
  }

  /** The context of a root: its caller's, or an empty one; a caller and earlier spans it belongs to become links. */
  #rootContext(node: AnyNode, options: WriterSpanOptions): Context {
    const links: Link[] = [];
    const link = node.kind === 'turn' || node.kind === 'child' ? node.link : undefined;
    const linked = link === undefined ? undefined : spanContextOf(link.to);
    if (link !== undefined && linked !== undefined) {
      links.push({ context: linked, attributes: { [ATTR_HERMES_LINK]: link.relation } });
    }
    const { caller } = node.invocation.trace;
    let context = ROOT_CONTEXT;
    if (caller !== undefined) {
      if (this.#options.caller === 'link') {
        const span = callerSpan(caller);
        if (span !== undefined) links.push({ context: span, attributes: { [ATTR_HERMES_LINK]: 'caller' } });
        context = callerBaggage(caller);
      } else context = callerContext(caller);
    }
    if (links.length > 0) options.links = links;
    return context;
  }

  #startAttributes(node: AnyNode, payload: Payload): Attributes {
    const { attributes } = this.#options;
    try {
      const own = startAttributes(node, payload, this.#options);
      return attributes === undefined ? own : { ...attributes, ...own };
    } catch {
      return startAttributes(node, safeCopy(payload), this.#options);
    }
  }

  /** What else the first record says, content included. */
  #addFirst(attributes: Attributes, node: AnyNode, payload: Payload): Attributes {
    try {
      addDetails(attributes, node, payload);
      this.#bag.attributes = attributes;
      this.#setContent(this.#bag, node, payload);
    } catch {
      addDetails(attributes, node, safeCopy(payload));
    }
    return attributes;
  }

  #setContent(target: AttributeTarget, node: AnyNode, payload: Payload): void {
    const { capture } = this.#options;
    if (capture !== 'none') setContent(target, node, payload, capture);
  }

  update(node: AnyNode, payload: Payload): void {
    try {
      if (isSpan(node.span)) this.#setContent(node.span, node, payload);
    } catch (error) {
      this.#failed(error);
    }
  }

  attemptFailed(node: RequestNode, failure: AttemptFailure): void {
    this.#event(node, EVENT_HERMES_API_ATTEMPT_FAILED, failure.time, attemptAttributes(failure, this.#options.capture));
  }

  policyDecision(node: ToolNode, time: HrTime, payload: Payload): void {
    this.#event(node, EVENT_HERMES_POLICY_DECISION, time, policyAttributes(payload, this.#options.capture));
  }

  #event(node: SpanNode, name: string, time: HrTime, attributes: Attributes): void {
    try {
      if (isSpan(node.span)) node.span.addEvent(name, attributes, time);
    } catch (error) {
      this.#failed(error);
    }
  }

  end(node: AnyNode, payload: Payload | undefined): void {
    const { span } = node;
    if (!isSpan(span)) return;
    try {
      this.#setEnd(span, node, payload);
      if (node.errorType !== undefined) span.setStatus(this.#errorStatus(node, payload));
      span.end(node.end);
      // Late children need where it was, not what it held.
      node.span = span.spanContext();
    } catch (error) {
      this.#failed(error);
      this.#endPlainly(span, node);
    }
    node.context = undefined;
  }

  /** Ends a span of which something could not be set; what it lacks must not cost the span. */
  #endPlainly(span: Span, node: AnyNode): void {
    try {
      if (node.errorType !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    } catch (error) {
      this.#failed(error);
    }
    try {
      if (span.isRecording()) span.end(node.end);
      node.span = span.spanContext();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch {
      // Whoever is told of a failure may not become one.
    }
  }

  #setEnd(span: Span, node: AnyNode, payload: Payload | undefined): void {
    try {
      setEndAttributes(span, node, payload, this.#options);
      if (payload !== undefined) this.#setContent(span, node, payload);
    } catch {
      setEndAttributes(span, node, payload === undefined ? undefined : safeCopy(payload), this.#options);
    }
  }

  #errorStatus(node: AnyNode, payload: Payload | undefined) {
    const failure = node.kind === 'request' || node.kind === 'auxiliary' ? node.failure?.message : undefined;
    const message = contentText(failure ?? payload?.error_message, this.#options.capture);
    return message === undefined ? { code: SpanStatusCode.ERROR } : { code: SpanStatusCode.ERROR, message };
  }
}

function safeCopy(payload: Payload): Payload {
  return object(snapshot(payload)) ?? {};
}

function spanContextOf(node: SpanNode): SpanContext | undefined {
  return isSpan(node.span) ? node.span.spanContext() : (node.span as SpanContext | undefined);
}

/** The context for spans below a node, with the caller's baggage; made once while the node is open. */
export function contextBelow(parent: SpanNode): Context {
  if (parent.context !== undefined) return parent.context as Context;
  const { caller } = parent.invocation.trace;
  const base = caller === undefined ? ROOT_CONTEXT : callerBaggage(caller);
  if (isSpan(parent.span)) {
    const context = trace.setSpan(base, parent.span);
    parent.context = context;
    return context;
  }
  const ended = parent.span as SpanContext | undefined;
  return ended === undefined ? base : trace.setSpanContext(base, ended);
}

import type { HrTime, Payload } from '@hermes-observer/core';
import type { Attributes, Context, Link, Span, SpanContext, SpanKind, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT } from '../api/context.js';
import { CLIENT, INTERNAL, STATUS_ERROR } from '../api/span-codes.js';
import { SAMPLED } from '../api/span-context.js';
import { getSpanContext, setSpanContext } from '../api/trace.js';
import type { AnyNode, RequestNode, SpanNode, ToolNode } from '../assembly/span-node.js';
import type { AttemptFailure, SpanSink } from '../assembly/span-sink.js';
import type { AttributeOptions } from '../attributes/attribute-options.js';
import { contentText } from '../attributes/content-text.js';
import { MOST_END_ATTRIBUTES } from '../attributes/end-attributes.js';
import { attemptAttributes, policyAttributes } from '../attributes/events.js';
import { MOST_FIRST_ATTRIBUTES } from '../attributes/first-attributes.js';
import { RecordAttributes } from '../attributes/record-attributes.js';
import {
  ATTR_HERMES_LINK,
  EVENT_HERMES_API_ATTEMPT_FAILED,
  EVENT_HERMES_POLICY_DECISION,
} from '../attributes/semconv.js';
import { spanName } from '../attributes/span-name.js';
import { ObserverSpan } from '../provider/span.js';
import { type ObserverSpanOptions, ObserverTracer } from '../provider/tracer.js';
import { callerBaggage, callerContext, callerSpan } from './caller-context.js';
import { lateKeyOf, lateSeedOf, nodeId } from './node-id.js';
import { restoreContext, type SavedSpan, saveContext } from './saved-span.js';
import { traceIdOf } from './span-id.js';
import { SpanScope } from './span-scope.js';

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

const NO_LINKS: Link[] = [];

const isSpan = (value: unknown): value is Span => typeof (value as Span | undefined)?.spanContext === 'function';

/** Writes assembled nodes as spans, only through the API's `Tracer` and `Span`. Whatever throws below stays here. */
export class SpanWriter implements SpanSink {
  readonly #options: SpanWriterOptions;
  readonly #attributes: RecordAttributes;
  /** Attributes of the user's own are not vouched for. */
  readonly #attributesAtMost: number | undefined;
  /** Whether any root span was recording, and is to be exported; `undefined` before the first one. */
  recording: boolean | undefined = undefined;

  constructor(options: SpanWriterOptions) {
    this.#options = options;
    this.#attributes = new RecordAttributes(options, options.attributes);
    this.#attributesAtMost = options.attributes === undefined ? MOST_FIRST_ATTRIBUTES : undefined;
  }

  start(node: AnyNode, payload: Payload): void {
    try {
      this.#start(node, payload);
    } catch (error) {
      this.#failed(error);
    }
  }

  #start(node: AnyNode, payload: Payload): void {
    const { tracer, derivedIds, agentName, capture } = this.#options;
    const kind = node.kind === 'request' || node.kind === 'auxiliary' ? CLIENT : INTERNAL;
    const links = node.parent === undefined ? this.#linksOf(node) : NO_LINKS;
    const context = node.parent === undefined ? this.#rootContext(node) : contextBelow(node.parent);
    const name = spanName(node, agentName, capture);
    let span: Span | undefined;
    if (derivedIds) {
      span = this.#startBelow(node, payload, name, kind, context);
      span ??= tracer.startSpan(name, this.#optionsWithIds(node, payload, kind, links, context), context);
    } else {
      const attributes = this.#attributes.start(node, payload);
      span = tracer.startSpan(name, { kind, startTime: node.start, attributes, links }, context);
    }
    node.span = span;
    if (node.parent === undefined && this.recording !== true) {
      this.recording = span.isRecording() && (span.spanContext().traceFlags & SAMPLED) !== 0;
    }
    if (!derivedIds) span.setAttributes(this.#attributes.details(node, payload));
  }

  /** Nearly every span hangs below one of ours that is open, and has nothing out of the ordinary. */
  #startBelow(node: AnyNode, payload: Payload, name: string, kind: SpanKind, context: Context): Span | undefined {
    const { tracer } = this.#options;
    const above = node.parent?.span;
    if (this.#attributesAtMost === undefined || !(tracer instanceof ObserverTracer)) return undefined;
    if (!(above instanceof ObserverSpan) || !above.isRecording()) return undefined;
    const key = lateKeyOf(node);
    if (key === undefined) return undefined;
    const parent = above.spanContext();
    const attributes = this.#attributes.first(node, payload);
    const most = this.#attributesAtMost;
    const { traceId } = parent;
    const seed = lateSeedOf(node as ToolNode | RequestNode, traceId);
    const { start, ordinal } = node;
    return tracer.startKnown(name, kind, start, attributes, most, parent, context, seed, key, ordinal);
  }

  /** For our own provider: all that is known goes with the start, in objects it may keep. */
  #optionsWithIds(
    node: AnyNode,
    payload: Payload,
    kind: SpanKind,
    links: Link[],
    context: Context,
  ): ObserverSpanOptions {
    const { trace: owner } = node.invocation;
    owner.traceId ??= getSpanContext(context)?.traceId ?? traceIdOf(owner.source);
    return {
      kind,
      startTime: node.start,
      attributes: this.#attributes.first(node, payload),
      links,
      takeAttributes: true,
      attributesAtMost: this.#attributesAtMost,
      ids: { traceId: owner.traceId, spanId: nodeId(node, owner.traceId) },
    };
  }

  /** The context of a root: its caller's, or an empty one. */
  #rootContext({ invocation: { trace: root } }: AnyNode): Context {
    if (root.caller === undefined) return ROOT_CONTEXT;
    return this.#options.caller === 'link' ? callerBaggage(root.caller) : callerContext(root.caller);
  }

  /** Links of a root: the earlier span it belongs to, and its caller's where that is no parent. */
  #linksOf(node: AnyNode): Link[] {
    const link = node.kind === 'turn' || node.kind === 'child' ? node.link : undefined;
    const earlier = link === undefined ? undefined : spanContextOf(link.to);
    const caller = this.#options.caller === 'link' ? callerSpan(node.invocation.trace.caller) : undefined;
    if (earlier === undefined && caller === undefined) return NO_LINKS;
    const links: Link[] = [];
    if (link !== undefined && earlier !== undefined) {
      links.push({ context: earlier, attributes: { [ATTR_HERMES_LINK]: link.relation } });
    }
    if (caller !== undefined) links.push({ context: caller, attributes: { [ATTR_HERMES_LINK]: 'caller' } });
    return links;
  }

  update(node: AnyNode, payload: Payload): void {
    try {
      const attributes = isSpan(node.span) ? this.#attributes.update(node, payload) : undefined;
      if (attributes !== undefined) (node.span as Span).setAttributes(attributes);
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
      const attributes = this.#attributes.end(node, payload);
      if (node.errorType !== undefined) span.setStatus(this.#errorStatus(node, payload));
      if (span instanceof ObserverSpan) {
        span.endWith(attributes, MOST_END_ATTRIBUTES, node.end);
      } else {
        span.setAttributes(attributes);
        span.end(node.end);
      }
      node.span = remainsOf(span, node);
    } catch (error) {
      this.#failed(error);
      this.#endPlainly(span, node);
    }
    node.context = undefined;
  }

  /** Ends a span of which something could not be set; what it lacks must not cost the span. */
  #endPlainly(span: Span, node: AnyNode): void {
    try {
      if (node.errorType !== undefined) span.setStatus({ code: STATUS_ERROR });
    } catch (error) {
      this.#failed(error);
    }
    try {
      if (span.isRecording()) span.end(node.end);
      node.span = remainsOf(span, node);
    } catch (error) {
      this.#failed(error);
    }
  }

  save(node: SpanNode): SavedSpan | undefined {
    const context = spanContextOf(node);
    return context === undefined ? undefined : saveContext(context);
  }

  idOf(node: SpanNode): string {
    const { traceId, source } = node.invocation.trace;
    // A question that is held back has no span yet; it will have this id.
    return spanContextOf(node)?.spanId ?? nodeId(node as AnyNode, traceId ?? traceIdOf(source));
  }

  restore(saved: unknown): SpanContext | undefined {
    return restoreContext(saved);
  }

  #failed(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch {
      // Whoever is told of a failure may not become one.
    }
  }

  #errorStatus(node: AnyNode, payload: Payload | undefined) {
    const failure = node.kind === 'request' || node.kind === 'auxiliary' ? node.failure?.message : undefined;
    const message = contentText(failure ?? payload?.error_message, this.#options.capture);
    return message === undefined ? { code: STATUS_ERROR } : { code: STATUS_ERROR, message };
  }
}

/** In place of a span that has ended, and whose id can be made again of its node. */
const DERIVED = Symbol('derived');

/** Late children need where a span was, not what it held: of nearly all, the node tells. */
function remainsOf(span: Span, node: AnyNode): SpanContext | string | symbol {
  const { traceId } = node.invocation.trace;
  if (!(span instanceof ObserverSpan) || !span.isPlain || span.traceId !== traceId) return span.spanContext();
  return span.isDerived ? DERIVED : span.spanId;
}

function spanContextOf(node: SpanNode): SpanContext | undefined {
  const { span } = node;
  if (isSpan(span)) return span.spanContext();
  if (span !== DERIVED && typeof span !== 'string') return span as SpanContext | undefined;
  const traceId = node.invocation.trace.traceId as string;
  const spanId = typeof span === 'string' ? span : nodeId(node as AnyNode, traceId);
  return { traceId, spanId, traceFlags: SAMPLED };
}

/** The context for spans below a node, with the caller's baggage; made once while the node is open. */
export function contextBelow(parent: SpanNode): Context {
  if (parent.context !== undefined) return parent.context as Context;
  const { caller } = parent.invocation.trace;
  const base = caller === undefined ? ROOT_CONTEXT : callerBaggage(caller);
  if (isSpan(parent.span)) {
    const context = new SpanScope(parent.span, base);
    parent.context = context;
    return context;
  }
  const ended = spanContextOf(parent);
  return ended === undefined ? base : setSpanContext(base, ended);
}

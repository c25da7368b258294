import { REDACTED, type RedactionKind, Redactor } from '@hermes-observer/core';
import type { Link, SpanContext } from '@opentelemetry/api';
import { createResource } from '../provider/resource.js';
import { copySpan } from '../sdk/copy-span.js';
import type { ReadableSpan, Resource, TimedEvent } from '../sdk/types.js';
import { FieldRedaction } from './field-redaction.js';
import type { SpanRedactionOptions } from './options.js';
import { PathRules } from './path-rules.js';

/**
 * Redacts whole spans: names, attributes, events, links, status messages, trace states and resources. What it gives are
 * copies, through which the spans themselves cannot be reached. Ids, times and the scope are not looked at.
 */
export class SpanRedactor {
  readonly #redactor: Redactor;
  readonly #fields: FieldRedaction;
  readonly #resources = new WeakMap<Resource, Resource>();

  /** @throws ObserverError `HO_OPTION` for a wrong option, `HO_PEER_MISSING` for `paths` without `@pinojs/redact`. */
  constructor({ paths, ...options }: SpanRedactionOptions = {}) {
    this.#redactor = new Redactor(options);
    const rules =
      paths === undefined || paths.length === 0
        ? undefined
        : new PathRules(paths, this.#redactor, options.mode === 'remove');
    this.#fields = new FieldRedaction(this.#redactor, rules);
  }

  /** How often each kind was redacted so far. */
  get counts(): Readonly<Partial<Record<RedactionKind, number>>> {
    return this.#redactor.counts;
  }

  /** Sum of `counts`. */
  get redactedValues(): number {
    return this.#redactor.redactedValues;
  }

  /** A copy of `span` that may leave. One that cannot be looked through is bare: its ids, times and status code. */
  redact(span: ReadableSpan): ReadableSpan {
    try {
      const { code, message } = span.status;
      const context = this.#context(span.spanContext());
      return copySpan(span, {
        name: this.#redactor.text(span.name, ['name']),
        spanContext: () => context,
        status: message === undefined ? { code } : { code, message: this.#redactor.text(message, ['status']) },
        attributes: this.#fields.redact(span.attributes, ['attributes']),
        events: span.events.map((event, i) => this.#event(event, i)),
        links: span.links.map((link, i) => this.#link(link, i)),
        resource: this.#resource(span.resource),
      });
    } catch {
      const { traceId, spanId, traceFlags } = span.spanContext();
      return copySpan(span, {
        name: REDACTED,
        spanContext: () => ({ traceId, spanId, traceFlags }),
        status: { code: span.status.code },
        attributes: {},
        events: [],
        links: [],
        resource: createResource({}),
      });
    }
  }

  #event(event: TimedEvent, index: number): TimedEvent {
    return {
      ...event,
      name: this.#redactor.text(event.name, ['events', index, 'name']),
      ...(event.attributes === undefined
        ? {}
        : { attributes: this.#fields.redact(event.attributes, ['events', index]) }),
    };
  }

  #link(link: Link, index: number): Link {
    return {
      ...link,
      context: this.#context(link.context),
      ...(link.attributes === undefined ? {} : { attributes: this.#fields.redact(link.attributes, ['links', index]) }),
    };
  }

  /** Part of a trace state means nothing, so one with something to hide goes whole. */
  #context(context: SpanContext): SpanContext {
    const state = context.traceState?.serialize();
    if (state === undefined || this.#redactor.name(state) === state) return context;
    const { traceState: _, ...kept } = context;
    return kept;
  }

  #resource(resource: Resource): Resource {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const redacted = createResource(this.#fields.redact(resource.attributes, ['resource']), resource.schemaUrl);
    if (resource.asyncAttributesPending !== true) this.#resources.set(resource, redacted);
    return redacted;
  }
}

import { semconv } from '@hermes-observer/otel';
import { furtherAttributes, statusCodeOf } from '../spans/content.js';
import type { SpanFacts } from '../spans/span-facts.js';
import type { TreeSpan } from '../spans/span-tree.js';
import { spanUuid } from '../spans/span-uuid.js';
import { endMicros, epochSeconds, microsOf, timestamp } from '../spans/times.js';
import type { Extra } from './trajectory.js';

/** What a step or call says of its span, under the keys that Relay and NVIDIA's toolkit use, and `attributes` for all else. */
export function spanExtra(span: SpanFacts, name: string, agent: TreeSpan): Extra {
  const status = statusCodeOf(span);
  return {
    ancestry: {
      function_id: spanUuid(span.traceId, span.spanId),
      function_name: name,
      parent_id: spanUuid(agent.span.traceId, agent.span.spanId),
      parent_name: agentName(agent.span),
    },
    invocation: {
      start_timestamp: epochSeconds(microsOf(span.start)),
      end_timestamp: epochSeconds(endMicros(span)),
      invocation_id: spanUuid(span.traceId, span.spanId),
      ...(status !== undefined && { status: status === 'OK' ? 'completed' : 'error' }),
      framework: 'hermes-observer',
    },
    ...factsExtra(span),
  };
}

/** Attributes, events and status message of a span. */
export function factsExtra({ attributes, events, statusMessage }: SpanFacts): Extra {
  return {
    attributes: furtherAttributes(attributes),
    ...(statusMessage !== undefined && { status_message: statusMessage }),
    ...(events.length > 0 && {
      events: events.map((event) => ({
        name: event.name,
        timestamp: timestamp(microsOf(event.time)),
        attributes: event.attributes,
      })),
    }),
  };
}

/** A wait for a person. */
export function waitExtra({ span, role }: TreeSpan): Extra {
  const end = endMicros(span);
  return {
    kind: role,
    name: span.name,
    timestamp: timestamp(microsOf(span.start)),
    duration_ms: (end - microsOf(span.start)) / 1000,
    ...factsExtra(span),
  };
}

/** Name of an agent; of a root that is none, what the span is called. */
export function agentName({ attributes, name }: SpanFacts): string {
  const agent = attributes[semconv.ATTR_GEN_AI_AGENT_NAME];
  return typeof agent === 'string' && agent !== '' ? agent : name || 'agent';
}

import type { SpanFacts } from '../jaeger/span-facts.js';

/** What differs between two runs of one scenario: ids, names of this run, times. */
const OF_THE_RUN = new Set([
  'gen_ai.agent.id',
  'gen_ai.conversation.id',
  'gen_ai.response.time_to_first_chunk',
  'gen_ai.tool.call.id',
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.input_tokens',
  'hermes.api.attempt.duration_ms',
  'hermes.api.request_id',
  'hermes.parent.session.id',
  'hermes.parent.turn.id',
  'hermes.producer',
  'hermes.task.id',
  'hermes.tool.duration_ms',
  'hermes.turn.id',
  'server.port',
]);

/** The trees of these spans as text, traces in the order they began: what two runs of one scenario have in common. */
export function treeShape(spans: readonly SpanFacts[]): string {
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === '').sort(byStart);
  return `${roots.flatMap((root) => linesOf(root, spans, '')).join('\n')}\n`;
}

/** Work that runs side by side may begin in any order, so children stand in the order of what they and all below them say. */
function linesOf(span: SpanFacts, spans: readonly SpanFacts[], indent: string): string[] {
  const below = spans.filter(({ traceId, parentSpanId }) => traceId === span.traceId && parentSpanId === span.spanId);
  const children = below.map((child) => linesOf(child, spans, `${indent}  `));
  const texts = children.map((lines) => lines.join('\n')).sort();
  return [indent + textOf(span), ...texts];
}

function textOf({ name, kind, status, attributes, events, links }: SpanFacts): string {
  const said = Object.entries(attributes)
    .filter(([key]) => !OF_THE_RUN.has(key))
    .map(([key, value]) => `${key}=${value}`);
  const happened = events.map((event) => `event ${String(event['(event)']).split(' at ')[0]}`);
  const linked = links.map((link) => `link ${link['hermes.link'] ?? ''}`);
  return [
    `${name} (${kind === 3 ? 'client' : 'internal'}, status ${status.trim()})`,
    ...said,
    ...happened,
    ...linked,
  ].join(' · ');
}

const byStart = (a: SpanFacts, b: SpanFacts) => (a.start < b.start ? -1 : 1);

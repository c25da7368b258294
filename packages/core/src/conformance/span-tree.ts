/** What is read of an ended span; `ReadableSpan` of the OpenTelemetry SDK is one. */
export interface EndedSpan {
  readonly name: string;
  spanContext(): { readonly traceId: string; readonly spanId: string };
  readonly parentSpanContext?: { readonly spanId: string } | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: number };
  readonly events: readonly {
    readonly name: string;
    readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  }[];
  readonly startTime: readonly [number, number];
}

const ERROR = 2;

/**
 * Spans as an indented tree, a line each, in order of their start: name, then the facts that behaviours are about.
 *
 * | | |
 * | --- | --- |
 * | turn | `completed`, `failed`, `interrupted`, `incomplete` |
 * | request | finish reason, tokens in and out as `10>5`, `streamed`, `x503` for each attempt that failed |
 * | tool, approval | status, choice |
 * | any | `ERROR`; `incomplete` where nothing ended it |
 */
export function spanTree(spans: readonly EndedSpan[]): string[] {
  const known = new Set(spans.map((span) => span.spanContext().spanId));
  const parentOf = (span: EndedSpan) => {
    const id = span.parentSpanContext?.spanId;
    return id !== undefined && known.has(id) ? id : undefined;
  };
  const below = (parent: string | undefined, depth: number): string[] =>
    spans
      .filter((span) => parentOf(span) === parent)
      .sort(byStart)
      .flatMap((span) => ['  '.repeat(depth) + lineOf(span), ...below(span.spanContext().spanId, depth + 1)]);
  return below(undefined, 0);
}

function byStart(a: EndedSpan, b: EndedSpan): number {
  const [difference, rest] = [a.startTime[0] - b.startTime[0], a.startTime[1] - b.startTime[1]];
  return (
    difference ||
    rest ||
    String(a.attributes['gen_ai.tool.call.id']).localeCompare(String(b.attributes['gen_ai.tool.call.id']))
  );
}

function lineOf({ name, attributes, status, events }: EndedSpan): string {
  const at = (key: string) => attributes[key];
  const input = at('gen_ai.usage.input_tokens');
  const output = at('gen_ai.usage.output_tokens');
  const finish = at('gen_ai.response.finish_reasons');
  const facts = [
    at('hermes.turn.outcome'),
    at('hermes.subagent.status'),
    Array.isArray(finish) ? finish.join() : undefined,
    input === undefined && output === undefined ? undefined : `${input}>${output}`,
    at('gen_ai.response.time_to_first_chunk') === undefined ? undefined : 'streamed',
    ...events
      .filter((event) => event.name === 'hermes.api.attempt_failed')
      .map((event) => `x${event.attributes?.['http.response.status_code'] ?? ''}`),
    at('hermes.tool.status'),
    at('hermes.approval.choice'),
    at('hermes.incomplete') === true ? 'incomplete' : undefined,
    status.code === ERROR ? 'ERROR' : undefined,
  ];
  // A fact that two attributes tell counts once, each attempt for itself.
  const told = facts.filter((fact, i) => fact !== undefined && (/^x/.test(`${fact}`) || facts.indexOf(fact) === i));
  return told.length === 0 ? name : `${name}: ${told.join(' ')}`;
}

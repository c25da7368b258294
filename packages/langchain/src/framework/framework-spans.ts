import { fieldsOf, listOf, textOf } from './fields.js';

/**
 * What to do where another instrumentation of LangChain makes OpenTelemetry spans of the same runs: `warn` makes ours too
 * and says once that each request now counts twice; `keep` makes both without a word; `yield` makes none of ours.
 */
export type FrameworkSpans = 'warn' | 'keep' | 'yield';

const NAMES = /openinference|traceloop|openllmetry|langfuse|opentelemetry|langtrace/i;

/** Handlers that make none: there are few, and they are asked about with each run. */
const innocent = new WeakSet<object>();

/** Who makes spans, of the callback handlers of a run. */
export function spanMaker(handlers: unknown): string | undefined {
  for (const handler of listOf(handlers)) {
    if (typeof handler !== 'object' || handler === null || innocent.has(handler)) continue;
    const { name, tracer } = fieldsOf(handler);
    const className = fieldsOf(handler).constructor?.name;
    const isNamed = NAMES.test(`${String(name)} ${String(className)}`);
    if (isNamed || typeof fieldsOf(tracer).startSpan === 'function') return textOf(className) ?? textOf(name);
    innocent.add(handler);
  }
  return undefined;
}

const isOn = (...names: readonly string[]) => names.some((name) => process.env[name]?.toLowerCase() === 'true');

/** Whether LangSmith traces, and sends what it traces as OpenTelemetry spans. */
export const isLangSmithOtel = (): boolean =>
  isOn('LANGSMITH_OTEL_ENABLED', 'LANGCHAIN_OTEL_ENABLED', 'OTEL_ENABLED') &&
  isOn('LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING_V2', 'LANGCHAIN_TRACING');

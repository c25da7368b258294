import { copySpan, type ReadableSpan, type SpanExporter } from '@hermes-observer/otel';
import { CostCalculator, type CostOptions } from '../cost-calculator.js';
import { costAttributes } from './cost-attributes.js';

/** The span with its cost, a copy; the span itself where it is no request to a model. */
export function spanWithCost(span: ReadableSpan, calculator: CostCalculator): ReadableSpan {
  const { attributes } = span;
  const cost = costAttributes(attributes, span.startTime, calculator);
  return cost === undefined ? span : copySpan(span, { attributes: { ...attributes, ...cost } });
}

/**
 * An exporter whose spans have their cost, for spans that nothing could be put on before they ended. Spans of any class, read
 * back from a file as well.
 * @throws ObserverError `HO_OPTION` for a price that is wrong.
 */
export function withCost(exporter: SpanExporter, options: CostOptions | CostCalculator = {}): SpanExporter {
  const calculator = options instanceof CostCalculator ? options : new CostCalculator(options);
  return {
    export: (spans, callback) =>
      exporter.export(
        spans.map((span) => {
          try {
            return spanWithCost(span, calculator);
          } catch {
            // What is to become of it the exporter will say.
            return span;
          }
        }),
        callback,
      ),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

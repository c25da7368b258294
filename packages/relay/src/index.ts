export { AtofExporter, type AtofExporterOptions } from './atof/atof-exporter.js';
export type { AtofTarget } from './atof/atof-file.js';
export { AtofSpanProcessor, type AtofSpanProcessorOptions } from './atof/atof-span-processor.js';
export { spansOfRequest } from './spans/otlp-json.js';
export type { EventFacts, LinkFacts, SpanFacts } from './spans/span-facts.js';

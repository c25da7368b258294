export { AtifExporter, type AtifExporterOptions } from './atif/atif-exporter.js';
export type { FinalMetrics, Metrics, Result, Step, SubagentRef, ToolCall, Trajectory } from './atif/trajectory.js';
export { AtofExporter, type AtofExporterOptions } from './atof/atof-exporter.js';
export type { AtofTarget } from './atof/atof-file.js';
export { AtofSpanProcessor, type AtofSpanProcessorOptions } from './atof/atof-span-processor.js';
export { spansOfRequest } from './spans/otlp-json.js';
export type { EventFacts, LinkFacts, SpanFacts } from './spans/span-facts.js';

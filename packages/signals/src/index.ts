export { type EvaluationOptions, recordEvaluations } from './logs/evaluation.js';
export { LogSpanProcessor, type LogSpanProcessorOptions } from './logs/log-span-processor.js';
export { INSTRUMENTS, type InstrumentName, type InstrumentRow } from './metrics/instruments.js';
export { LABELS, type LabelList } from './metrics/labels.js';
export { MetricSpanProcessor, type MetricSpanProcessorOptions } from './metrics/metric-span-processor.js';
export { type OpenSignals, openSignals, type SignalSettings } from './open-signals.js';
export { RecordingSampler } from './recording-sampler.js';

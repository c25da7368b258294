import { expect, it } from 'vitest';
import { otlpTrace } from './otlp-trace.test-support.js';
import { samplesOf, sum } from './prometheus-text.js';
import { spanFacts } from './span-facts.js';
import { callsBy, countsOfSamples, countsOfSpans } from './span-metrics.js';

const dimensions = ['gen_ai.operation.name', 'gen_ai.tool.name'];
const turn =
  'gen_ai_operation_name="invoke_agent",job="hermes-agent",service_name="hermes-agent",span_kind="SPAN_KIND_INTERNAL",span_name="invoke_agent hermes",status_code="STATUS_CODE_UNSET"';
const tool =
  'gen_ai_operation_name="execute_tool",gen_ai_tool_name="terminal",job="hermes-agent",service_name="hermes-agent",span_kind="SPAN_KIND_INTERNAL",span_name="execute_tool terminal",status_code="STATUS_CODE_ERROR"';
const page = (toolCalls: number) => `# HELP traces_span_metrics_calls_total
# TYPE traces_span_metrics_calls_total counter
traces_span_metrics_calls_total{${turn}} 1
traces_span_metrics_calls_total{${tool}} ${toolCalls}
traces_span_metrics_duration_seconds_bucket{${tool},le="+Inf"} ${toolCalls}
traces_span_metrics_duration_seconds_sum{${turn}} 2
traces_span_metrics_duration_seconds_sum{${tool}} ${toolCalls / 2}
`;

it('counts spans as the metrics of the Collector do', () => {
  const spans = spanFacts(otlpTrace());
  expect(countsOfSamples(samplesOf(page(1)))).toEqual(countsOfSpans(spans, dimensions));
  expect(countsOfSamples(samplesOf(page(2)))).not.toEqual(countsOfSpans(spans, dimensions));
  expect(countsOfSpans([...spans, ...spans], dimensions)).not.toEqual(countsOfSpans(spans, dimensions));
  expect(countsOfSpans(spans, ['gen_ai.operation.name'])).not.toEqual(countsOfSpans(spans, dimensions));
});

it('sums calls by a label', () => {
  expect(callsBy(samplesOf(page(3)), 'gen_ai_operation_name')).toEqual({ invoke_agent: 1, execute_tool: 3 });
});

it('reads the Prometheus text format', () => {
  expect(samplesOf('a_total{x="1\\"\\\\,y=\\n",z=""} 2.5e+06 1700\nb 0\n\n')).toEqual([
    { name: 'a_total', labels: { x: '1"\\,y=\n', z: '' }, value: 2_500_000 },
    { name: 'b', labels: {}, value: 0 },
  ]);
  expect(sum(samplesOf('a{x="1"} 1\na{x="2"} 2\nab 4'), 'a')).toBe(3);
  expect(() => samplesOf('<html>')).toThrow('no sample: <html>');
});

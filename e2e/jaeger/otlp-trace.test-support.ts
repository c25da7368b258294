import type { OtlpSpan, OtlpTraces } from './otlp-json.js';

/** A turn with a tool call, as our file has it; `change` alters the tool call. */
export function otlpTrace(change: Partial<OtlpSpan> = {}): OtlpTraces {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const turn: OtlpSpan = {
    traceId,
    spanId: '00000000000000a1',
    name: 'invoke_agent hermes',
    kind: 1,
    startTimeUnixNano: '1700000000000000000',
    endTimeUnixNano: '1700000002000000000',
    attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } }],
    droppedAttributesCount: 0,
    links: [{ traceId, spanId: '00000000000000ff', attributes: [{ key: 'hermes.link', value: { stringValue: 'x' } }] }],
    status: { code: 0 },
  };
  const tool: OtlpSpan = {
    traceId,
    spanId: '00000000000000a2',
    parentSpanId: '00000000000000a1',
    name: 'execute_tool terminal',
    kind: 1,
    startTimeUnixNano: '1700000000500000000',
    endTimeUnixNano: '1700000001000000000',
    attributes: [
      { key: 'gen_ai.operation.name', value: { stringValue: 'execute_tool' } },
      { key: 'gen_ai.tool.name', value: { stringValue: 'terminal' } },
      { key: 'hermes.tool.duration_ms', value: { intValue: 500 } },
    ],
    events: [
      { name: 'hermes.policy.decision', timeUnixNano: '1700000000600000000', attributes: [] },
      { name: 'hermes.policy.decision', timeUnixNano: '1700000000700000000', attributes: [] },
    ],
    status: { code: 2, message: 'tool_error' },
    ...change,
  };
  const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'hermes-agent' } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'ours' }, spans: [turn, tool] }] }] };
}

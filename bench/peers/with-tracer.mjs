// Contestants that are OpenTelemetry tracers: the SDK alone, and peers that are processors or tracers around it.
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';

const KINDS = { turn: SpanKind.INTERNAL, chat: SpanKind.CLIENT, tool: SpanKind.INTERNAL };

/** A library for `tell` over a tracer. `change` is what a peer wants done to attributes. */
function tracerLibrary(tracer, change = (attributes) => attributes) {
  return {
    start(kind, name, attributes, time, parent) {
      const options = { kind: KINDS[kind], attributes: change(attributes), startTime: time.hr };
      const span = tracer.startSpan(name, options, parent?.context ?? ROOT_CONTEXT);
      return { span, context: kind === 'turn' ? trace.setSpan(ROOT_CONTEXT, span) : undefined };
    },
    end(_kind, { span }, attributes, time) {
      span.setAttributes(change(attributes));
      span.end(time.hr);
    },
  };
}

function provided(load, processor) {
  const { BasicTracerProvider } = load('@opentelemetry/sdk-trace-base');
  return new BasicTracerProvider({ spanProcessors: [processor] }).getTracer('bench', '1');
}

/** The batches of the SDK, with the exporter of the SDK behind them. */
function stockBatches(load, url, encoding = 'http') {
  const { BatchSpanProcessor } = load('@opentelemetry/sdk-trace-base');
  const { OTLPTraceExporter } = load(`@opentelemetry/exporter-trace-otlp-${encoding}`);
  return new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }));
}

const of = (processor, library) => ({
  library,
  flush: () => processor.forceFlush(),
  close: () => processor.shutdown(),
});

/** Names that OpenInference has for some of the attributes. */
const OPENINFERENCE = {
  'gen_ai.request.model': 'llm.model_name',
  'gen_ai.usage.input_tokens': 'llm.token_count.prompt',
  'gen_ai.usage.output_tokens': 'llm.token_count.completion',
  'gen_ai.operation.name': 'openinference.span.kind',
  'gen_ai.tool.name': 'tool.name',
};
const asOpenInference = (attributes) => {
  const renamed = {};
  for (const key in attributes) renamed[OPENINFERENCE[key] ?? key] = attributes[key];
  return renamed;
};

export const TRACERS = [
  {
    name: 'OpenTelemetry SDK',
    of: '@opentelemetry/sdk-trace-base',
    exporter: "the SDK's, JSON",
    setup({ load, url }) {
      const batches = stockBatches(load, url);
      return of(batches, tracerLibrary(provided(load, batches)));
    },
  },
  {
    name: 'OpenTelemetry SDK, protobuf',
    of: '@opentelemetry/sdk-trace-base',
    exporter: "the SDK's, protobuf",
    setup({ load, url }) {
      const batches = stockBatches(load, url, 'proto');
      return of(batches, tracerLibrary(provided(load, batches)));
    },
  },
  {
    name: 'OpenLLMetry',
    of: '@traceloop/node-server-sdk',
    exporter: 'its own, protobuf',
    setup({ load, url }) {
      const { createSpanProcessor, ALL_INSTRUMENTATION_LIBRARIES } = load('@traceloop/node-server-sdk');
      const allowedInstrumentationLibraries = ALL_INSTRUMENTATION_LIBRARIES;
      const processor = createSpanProcessor({ apiKey: 'none', baseUrl: url, allowedInstrumentationLibraries });
      return of(processor, tracerLibrary(provided(load, processor)));
    },
  },
  {
    name: 'OpenInference',
    of: '@arizeai/openinference-core',
    exporter: "the SDK's, JSON",
    setup({ load, url }) {
      const { OITracer } = load('@arizeai/openinference-core');
      const batches = stockBatches(load, url);
      return of(batches, tracerLibrary(new OITracer({ tracer: provided(load, batches) }), asOpenInference));
    },
  },
  {
    name: 'Braintrust',
    of: '@braintrust/otel',
    exporter: 'its own, JSON',
    setup({ load, url }) {
      const { BraintrustSpanProcessor } = load('@braintrust/otel');
      const processor = new BraintrustSpanProcessor({ apiKey: 'none', apiUrl: url, parent: 'project_name:bench' });
      return of(processor, tracerLibrary(provided(load, processor)));
    },
  },
  {
    name: 'LangSmith',
    of: 'langsmith',
    exporter: 'its own, protobuf',
    setup({ load, url }) {
      const { LangSmithOTLPSpanProcessor } = load('langsmith/experimental/otel/processor');
      const { LangSmithOTLPTraceExporter } = load('langsmith/experimental/otel/exporter');
      const exporter = new LangSmithOTLPTraceExporter({
        url: `${url}/otel/v1/traces`,
        headers: { 'x-api-key': 'none' },
      });
      const processor = new LangSmithOTLPSpanProcessor(exporter);
      const marked = (attributes) => {
        // It sends only what has this mark.
        if (attributes['gen_ai.operation.name'] !== undefined) attributes['langsmith.traceable'] = 'true';
        return attributes;
      };
      return of(processor, tracerLibrary(provided(load, processor), marked));
    },
  },
  {
    name: 'Vercel AI SDK',
    of: '@ai-sdk/otel',
    exporter: "the SDK's, JSON",
    setup({ load, url }) {
      const { OpenTelemetry } = load('@ai-sdk/otel');
      const batches = stockBatches(load, url);
      return of(batches, aiSdkLibrary(new OpenTelemetry({ tracer: provided(load, batches) })));
    },
  },
];

/** The AI SDK is told of its own life: a call, its steps, model calls and tools in them. It makes spans of the steps too. */
function aiSdkLibrary(telemetry) {
  const performance = { responseTimeMs: 5, effectiveOutputTokensPerSecond: 1 };
  const tokens = (usage) => ({
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.prompt_tokens + usage.output_tokens,
    inputTokenDetails: { cacheReadTokens: usage.cache_read_tokens, cacheWriteTokens: usage.cache_write_tokens },
    outputTokenDetails: { reasoningTokens: usage.reasoning_tokens },
  });
  const finishStep = (turn) => {
    if (turn.step === 0) return;
    telemetry.onStepEnd({ callId: turn.callId, finishReason: 'tool-calls', usage: turn.usage });
  };
  return {
    start(kind, _name, _attributes, _time, turn, payload) {
      if (kind === 'turn') {
        const callId = payload.turn_id;
        const settings = {
          recordInputs: true,
          recordOutputs: true,
          functionId: 'hermes',
          messages: [],
          runtimeContext: {},
        };
        const model = { provider: 'openai', modelId: payload.model };
        telemetry.onStart({ callId, operationId: 'ai.generateText', ...model, ...settings });
        return { callId, step: 0, usage: undefined };
      }
      const { callId } = turn;
      if (kind === 'chat') {
        finishStep(turn);
        telemetry.onStepStart({ callId, steps: [], stepNumber: ++turn.step, runtimeContext: {} });
        const model = { provider: payload.provider, modelId: payload.model };
        telemetry.onLanguageModelCallStart({ callId, ...model, messages: [], tools: undefined });
        return turn;
      }
      const toolCall = { type: 'tool-call', toolName: payload.tool_name, toolCallId: payload.tool_call_id, input: '' };
      telemetry.onToolExecutionStart({ callId, toolCall });
      return { callId, toolCall };
    },
    end(kind, opened, _attributes, _time, payload) {
      const { callId } = opened;
      if (kind === 'chat') {
        opened.usage = tokens(payload.usage);
        const model = { provider: payload.provider, modelId: payload.model };
        const answer = { finishReason: 'tool-calls', responseId: payload.api_request_id, content: [], performance };
        telemetry.onLanguageModelCallEnd({ callId, ...model, ...answer, usage: opened.usage });
      } else if (kind === 'tool') {
        const toolOutput = { type: 'tool-result', output: '' };
        telemetry.onToolExecutionEnd({
          callId,
          toolCall: opened.toolCall,
          toolExecutionMs: payload.duration_ms,
          toolOutput,
        });
      } else {
        finishStep(opened);
        const { usage } = opened;
        const finalStep = {
          usage,
          content: [],
          finishReason: 'stop',
          response: {},
          text: '',
          reasoning: [],
          files: [],
        };
        const all = { content: [], text: '', steps: [], response: { messages: [] } };
        const last = { ...finalStep, toolCalls: [] };
        telemetry.onEnd({ callId, finishReason: 'stop', usage, totalUsage: usage, ...all, finalStep: last });
      }
    },
  };
}

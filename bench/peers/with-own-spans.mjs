// Contestants with an interface of their own.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';

export const OWN_SPANS = [
  {
    name: 'Langfuse',
    of: '@langfuse/tracing',
    exporter: 'its own, JSON',
    setup({ load, url }) {
      const { BasicTracerProvider } = load('@opentelemetry/sdk-trace-base');
      const { LangfuseSpanProcessor } = load('@langfuse/otel');
      const { setLangfuseTracerProvider, startObservation } = load('@langfuse/tracing');
      const keys = { publicKey: 'pk-lf-none', secretKey: 'sk-lf-none' };
      const processor = new LangfuseSpanProcessor({
        ...keys,
        baseUrl: url,
        flushAt: 512,
        shouldExportSpan: () => true,
      });
      setLangfuseTracerProvider(new BasicTracerProvider({ spanProcessors: [processor] }));
      const types = { turn: 'agent', chat: 'generation', tool: 'tool' };
      const library = {
        start(kind, name, attributes, time, parent) {
          const { 'gen_ai.request.model': model, ...metadata } = attributes;
          const parentSpanContext = parent?.otelSpan.spanContext();
          const own = kind === 'chat' ? { model, metadata } : { metadata: attributes };
          return startObservation(name, own, { asType: types[kind], startTime: time.date, parentSpanContext });
        },
        end(kind, observation, attributes, time) {
          if (kind === 'chat') {
            const {
              'gen_ai.usage.input_tokens': input,
              'gen_ai.usage.output_tokens': output,
              ...metadata
            } = attributes;
            observation.update({ usageDetails: { input, output }, metadata });
          } else observation.update({ metadata: attributes });
          observation.end(time.date);
        },
      };
      return { library, flush: () => processor.forceFlush(), close: () => processor.shutdown() };
    },
  },
  {
    name: 'Agent 365',
    of: '@microsoft/agents-a365-observability',
    exporter: "the SDK's, JSON",
    setup({ load, url }) {
      const { BasicTracerProvider, BatchSpanProcessor } = load('@opentelemetry/sdk-trace-base');
      const { OTLPTraceExporter } = load('@opentelemetry/exporter-trace-otlp-http');
      const a365 = load('@microsoft/agents-a365-observability');
      const entry = load.resolve('@microsoft/agents-a365-observability');
      const { OpenTelemetryScope } = createRequire(entry)(join(dirname(entry), 'tracing/scopes/OpenTelemetryScope.js'));
      const batches = new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }));
      // It has the tracer of the global provider, which is nobody's here.
      OpenTelemetryScope.tracer = new BasicTracerProvider({ spanProcessors: [batches] }).getTracer('bench', '1');
      a365.setLogger?.({ info() {}, warn() {}, error() {}, event() {} });
      const agent = { agentId: 'hermes', agentName: 'hermes', tenantId: 'bench' };
      const spanOf = (scope) => scope.span ?? scope._span;
      const opened = (scope, attributes, time) => {
        spanOf(scope).setAttributes(attributes);
        return { scope, started: time, context: trace.setSpan(ROOT_CONTEXT, spanOf(scope)) };
      };
      const library = {
        start(kind, _name, attributes, time, parent, payload) {
          const request = { conversationId: payload.session_id, sessionId: payload.session_id };
          const when = { startTime: time.hr, parentContext: parent?.context ?? ROOT_CONTEXT };
          if (kind === 'turn')
            return opened(a365.InvokeAgentScope.start(request, {}, agent, undefined, when), attributes, time);
          if (kind === 'chat') {
            const details = { operationName: 'Chat', model: payload.model, providerName: payload.provider };
            return opened(a365.InferenceScope.start(request, details, agent, undefined, when), attributes, time);
          }
          const { tool_name: toolName, tool_call_id: toolCallId } = payload;
          const details = { toolName, toolCallId, toolType: 'function' };
          return opened(a365.ExecuteToolScope.start(request, details, agent, undefined, when), attributes, time);
        },
        end(_kind, { scope }, attributes, time) {
          spanOf(scope).setAttributes(attributes);
          scope.setEndTime?.(time.hr);
          scope.dispose();
        },
      };
      return { library, flush: () => batches.forceFlush(), close: () => batches.shutdown() };
    },
  },
  {
    name: 'OpenAI Agents',
    of: '@openai/agents-core',
    exporter: 'JSON of its own, no OTLP',
    setup({ load, url }) {
      const agents = load('@openai/agents-core');
      const exporter = {
        async export(items) {
          const body = JSON.stringify({ data: items.map((item) => item.toJSON()) });
          const headers = { 'content-type': 'application/json' };
          const response = await fetch(`${url}/v1/traces/ingest`, { method: 'POST', headers, body });
          await response.arrayBuffer();
        },
      };
      const processor = new agents.BatchTraceProcessor(exporter, { maxBatchSize: 512, maxQueueSize: 8192 });
      agents.setTraceProcessors([processor]);
      agents.setTracingDisabled(false);
      const provider = agents.getGlobalTraceProvider();
      const data = {
        turn: (attributes) => ({ type: 'agent', name: 'hermes', metadata: attributes }),
        chat: (attributes, { model }) => ({ type: 'generation', model, model_config: attributes }),
        tool: (attributes, { tool_name: name }) => ({
          type: 'function',
          name,
          input: '',
          output: '',
          meta: attributes,
        }),
      };
      const library = {
        start(kind, _name, attributes, _time, parent, payload) {
          const above = parent ?? provider.createTrace({ name: 'turn' });
          const span = provider.createSpan({ data: data[kind](attributes, payload) }, above);
          span.start();
          return span;
        },
        end(kind, span, attributes, _time, payload) {
          if (kind === 'chat') {
            const { prompt_tokens: input_tokens, output_tokens } = payload.usage;
            span.spanData.usage = { input_tokens, output_tokens };
          }
          span.spanData.ended = attributes;
          span.end();
        },
      };
      return { library, flush: () => processor.forceFlush(), close: () => processor.shutdown() };
    },
  },
  {
    name: 'NeMo Relay',
    of: 'nemo-relay-node',
    exporter: 'its own, protobuf',
    leastNode: 24,
    setup({ load, url }) {
      const relay = load('nemo-relay-node');
      const { ScopeType } = relay;
      const endpoint = `${url}/v1/traces`;
      const subscriber = new relay.OpenTelemetrySubscriber({ type: 'full', endpoint, serviceName: 'hermes-agent' });
      subscriber.register('bench');
      relay.setThreadScopeStack(relay.createScopeStack());
      const micros = ({ millis }) => millis * 1000;
      const library = {
        start(kind, name, attributes, time, parent, payload) {
          const at = micros(time);
          if (kind === 'turn') return relay.pushScope(name, ScopeType.Agent, null, null, null, attributes, null, at);
          if (kind === 'chat') {
            const content = { headers: {}, content: { model: payload.model, messages: [] } };
            return relay.llmCall(payload.provider, content, parent, null, null, attributes, payload.model, at);
          }
          const { tool_name, tool_call_id } = payload;
          return relay.toolCall(tool_name, '', parent, null, null, attributes, tool_call_id, at);
        },
        end(kind, handle, attributes, time, payload) {
          const at = micros(time);
          if (kind === 'turn') relay.popScope(handle, null, at, attributes);
          else if (kind === 'chat') {
            const { prompt_tokens, output_tokens: completion_tokens } = payload.usage;
            relay.llmCallEnd(handle, { usage: { prompt_tokens, completion_tokens } }, null, attributes, at);
          } else relay.toolCallEnd(handle, { kind: 'success', result: '', value: '' }, null, attributes, at);
        },
      };
      const flush = async () => {
        await relay.flushSubscribers();
        subscriber.forceFlush();
      };
      return {
        library,
        flush,
        close: () => {
          subscriber.deregister('bench');
          subscriber.shutdown();
        },
      };
    },
  },
];

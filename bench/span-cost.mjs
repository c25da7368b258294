// Hook payload → ended span, beside the bare SDK writing the same spans with the same attributes.
import { Hub } from '@hermes-observer/core';
import { ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import { ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { interleave } from './interleave.mjs';
import { times, turnCalls, turnStart } from './workload.mjs';

const ROUNDS_A_TURN = 10;
const TURNS_A_SAMPLE = 10;

class CountingProcessor {
  ended = 0;
  onStart() {}
  onEnd() {
    this.ended++;
  }
  async forceFlush() {}
  async shutdown() {}
}

/** A program that uses the SDK directly, as its documentation shows, with what it needs at hand in variables. */
function bareSdk() {
  const processor = new CountingProcessor();
  const provider = new BasicTracerProvider({ spanProcessors: [processor] });
  const tracer = provider.getTracer('bare', '1');
  return {
    processor,
    openTurn({ ids }, time) {
      const attributes = {
        'gen_ai.conversation.id': ids.session_id,
        'hermes.turn.id': ids.turn_id,
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'hermes',
      };
      const span = tracer.startSpan('invoke_agent hermes', { attributes, startTime: time }, ROOT_CONTEXT);
      return { span, context: trace.setSpan(ROOT_CONTEXT, span) };
    },
    openTool({ ids }, context, id, time) {
      return tracer.startSpan(
        'execute_tool terminal',
        {
          attributes: { 'gen_ai.tool.name': 'terminal', 'gen_ai.tool.call.id': id, 'hermes.turn.id': ids.turn_id },
          startTime: time,
        },
        context,
      );
    },
    runTurn({ calls }, { context }, clock) {
      let t = 0;
      let span;
      for (const [hook, p] of calls) {
        const time = clock[t++];
        switch (hook) {
          case 'pre_api_request':
            span = tracer.startSpan(
              `chat ${p.model}`,
              {
                kind: SpanKind.CLIENT,
                startTime: time,
                attributes: {
                  'gen_ai.conversation.id': p.session_id,
                  'hermes.turn.id': p.turn_id,
                  'gen_ai.operation.name': 'chat',
                  'gen_ai.provider.name': p.provider,
                  'gen_ai.request.model': p.model,
                  'server.address': 'api.openai.com',
                  'gen_ai.request.max_tokens': p.max_tokens,
                  'hermes.api.request_id': p.api_request_id,
                  'hermes.api.call_count': p.api_call_count,
                  'hermes.api.mode': p.api_mode,
                },
              },
              context,
            );
            break;
          case 'post_api_request':
            span.setAttributes({
              'hermes.api.attempts': 1,
              'gen_ai.response.model': p.response_model,
              'gen_ai.response.finish_reasons': [p.finish_reason],
              'gen_ai.usage.input_tokens': p.usage.prompt_tokens,
              'gen_ai.usage.output_tokens': p.usage.output_tokens,
              'gen_ai.usage.cache_read.input_tokens': p.usage.cache_read_tokens,
              'gen_ai.usage.cache_creation.input_tokens': p.usage.cache_write_tokens,
              'gen_ai.usage.reasoning.output_tokens': p.usage.reasoning_tokens,
            });
            span.end(time);
            break;
          case 'pre_tool_call':
            span = tracer.startSpan(
              `execute_tool ${p.tool_name}`,
              {
                kind: SpanKind.INTERNAL,
                startTime: time,
                attributes: {
                  'gen_ai.conversation.id': p.session_id,
                  'hermes.turn.id': p.turn_id,
                  'gen_ai.operation.name': 'execute_tool',
                  'gen_ai.tool.name': p.tool_name,
                  'gen_ai.tool.call.id': p.tool_call_id,
                  'gen_ai.tool.type': 'function',
                  'hermes.api.request_id': p.api_request_id,
                },
              },
              context,
            );
            break;
          case 'post_tool_call':
            span.setAttributes({ 'hermes.tool.status': p.status, 'hermes.tool.duration_ms': p.duration_ms });
            span.end(time);
            break;
        }
      }
    },
  };
}

/** A hub with a bridge that listens to it, as a program has them. */
function bridged(makeProvider) {
  const processor = new CountingProcessor();
  const bridge = new SpanBridge({
    tracerProvider: makeProvider(processor),
    limits: { maxOpenTraces: 1e6, maxOpenSpansPerTurn: 1e6 },
  });
  const hub = new Hub();
  bridge.attach(hub);
  const emit = (hook, payload, time) => hub.emit(hook, payload, { time });
  return { processor, bridge, emit };
}

let turnNumber = 0;

function bareContestant(name, open) {
  const sdk = bareSdk();
  const [time] = times(1);
  const background = turnCalls(turnNumber++, 0);
  const { context } = sdk.openTurn(background, time);
  const held = Array.from({ length: open - 1 }, (_, i) => sdk.openTool(background, context, `open_${i}`, time));
  return {
    name,
    held,
    processor: sdk.processor,
    run() {
      let nanos = 0n;
      let spans = 0;
      // Each turn's payloads are made just before it runs, as an agent makes them.
      for (let n = 0; n < TURNS_A_SAMPLE; n++) {
        const turn = turnCalls(turnNumber++, ROUNDS_A_TURN);
        const opened = sdk.openTurn(turn, time);
        const clock = times(turn.calls.length);
        const began = process.hrtime.bigint();
        sdk.runTurn(turn, opened, clock);
        nanos += process.hrtime.bigint() - began;
        opened.span.end(time);
        spans += turn.spans;
      }
      return Number(nanos) / spans;
    },
  };
}

function bridgeContestant(name, open, makeProvider) {
  const { emit, bridge, processor } = bridged(makeProvider);
  const emitAll = (calls, clock) => {
    for (let i = 0; i < calls.length; i++) emit(calls[i][0], calls[i][1], clock[i]);
  };
  const [time] = times(1);
  const background = turnCalls(turnNumber++, 0);
  emit(...turnStart(background), time);
  for (let i = 0; i < open - 1; i++) {
    emit('pre_tool_call', { ...background.ids, tool_name: 'terminal', tool_call_id: `open_${i}` }, time);
  }
  return {
    name,
    bridge,
    processor,
    run() {
      let nanos = 0n;
      let spans = 0;
      for (let n = 0; n < TURNS_A_SAMPLE; n++) {
        const turn = turnCalls(turnNumber++, ROUNDS_A_TURN);
        emit(...turnStart(turn), time);
        const clock = times(turn.calls.length);
        const began = process.hrtime.bigint();
        emitAll(turn.calls, clock);
        nanos += process.hrtime.bigint() - began;
        emit('on_session_end', { ...turn.ids, completed: true }, clock[clock.length - 1]);
        spans += turn.spans;
      }
      return Number(nanos) / spans;
    },
  };
}

export function spanCost({ rounds = 100 } = {}) {
  const rows = [];
  for (const open of [1, 100, 10_000]) {
    const contestants = [
      bareContestant('bare SDK', open),
      bridgeContestant(
        'ours, own provider',
        open,
        (processor) => new ObserverTracerProvider({ spanProcessors: [processor] }),
      ),
      bridgeContestant(
        'ours, SDK provider',
        open,
        (processor) => new BasicTracerProvider({ spanProcessors: [processor] }),
      ),
    ];
    const result = interleave(contestants, { rounds });
    const bare = result.get('bare SDK').median;
    for (const [name, { median, min, p90 }] of result)
      rows.push({ open, name, median, min, p90, ratio: median / bare });
  }
  return rows;
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  console.table(spanCost({ rounds: Number(process.argv[2] ?? 100) }));

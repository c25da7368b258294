// Heap per open span, state of the bridge included. Needs --expose-gc, so it runs in a process of its own.
import { HookMeta } from '@hermes-observer/core';
import { ObserverTracerProvider, SpanBridge } from '@hermes-observer/otel';
import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';

const SPANS_A_TURN = 100;
const OPEN = 50_000;
const flat = (text) => Buffer.from(text).toString();

function heapUsed() {
  for (let i = 0; i < 4; i++) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** Tool calls that never end; what a payload holds is let go of by the caller, as it is in an agent. */
function bridged(tracerProvider) {
  const bridge = new SpanBridge({ tracerProvider, limits: { maxOpenTraces: 1e6, maxOpenTurnsPerSession: 1e6 } });
  const open = (turns) => {
    for (let turn = 0; turn < turns; turn++) {
      const session_id = flat(`session_${turn}`);
      const turn_id = flat(`${session_id}:${session_id}:${turn}`);
      const ids = { session_id, task_id: session_id, turn_id };
      bridge.handle(
        { ...ids, model: 'gpt-5', platform: 'cli' },
        new HookMeta('pre_llm_call', [1_764_450_000, 0], 'bench'),
      );
      for (let i = 0; i < SPANS_A_TURN; i++) {
        const payload = {
          ...ids,
          tool_name: 'terminal',
          args: { command: 'make' },
          tool_call_id: flat(`call_${turn}_${i}`),
        };
        bridge.handle(payload, new HookMeta('pre_tool_call', [1_764_450_000, i], 'bench'));
      }
    }
  };
  return { open, held: bridge };
}

function bareSdk() {
  const tracer = new BasicTracerProvider().getTracer('bench');
  const held = [];
  const open = (turns) => {
    for (let turn = 0; turn < turns; turn++) {
      const session = flat(`session_${turn}`);
      const turnId = flat(`${session}:${session}:${turn}`);
      const attributes = {
        'gen_ai.conversation.id': session,
        'hermes.turn.id': turnId,
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'hermes',
      };
      const root = tracer.startSpan('invoke_agent hermes', { attributes, startTime: [1_764_450_000, 0] }, ROOT_CONTEXT);
      const context = trace.setSpan(ROOT_CONTEXT, root);
      held.push(root);
      for (let i = 0; i < SPANS_A_TURN; i++) {
        const tool = {
          'gen_ai.conversation.id': session,
          'hermes.turn.id': turnId,
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'terminal',
          'gen_ai.tool.call.id': flat(`call_${turn}_${i}`),
          'gen_ai.tool.type': 'function',
        };
        held.push(
          tracer.startSpan('execute_tool terminal', { attributes: tool, startTime: [1_764_450_000, i] }, context),
        );
      }
    }
  };
  return { open, held };
}

const makers = {
  'bare SDK': bareSdk,
  'ours, own provider': () => bridged(new ObserverTracerProvider()),
  'ours, SDK provider': () => bridged(new BasicTracerProvider()),
};

const rows = [];
for (const [name, make] of Object.entries(makers)) {
  make().open(20);
  const contestant = make();
  const before = heapUsed();
  contestant.open(OPEN / SPANS_A_TURN);
  const bytes = (heapUsed() - before) / (OPEN + OPEN / SPANS_A_TURN);
  rows.push({ name, bytes: Math.round(bytes), held: contestant.held !== undefined });
}
process.stdout.write(JSON.stringify(rows.map(({ name, bytes }) => ({ name, bytes }))));

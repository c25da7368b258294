// The work: a turn of an agent with ten model requests and twenty tool calls, told to a tracing library step by step.
import { turnCalls, turnStart } from '../workload.mjs';

const REQUESTS_A_TURN = 10;
export const SPANS_A_TURN = 1 + REQUESTS_A_TURN * 3;

let turnNumber = 0;

/** The calls of one turn, each with its time in the forms that libraries want; all is made before it is measured. */
export function makeTurn() {
  const turn = turnCalls(turnNumber++, REQUESTS_A_TURN);
  const end = [
    'on_session_end',
    { ...turn.ids, completed: true, turn_exit_reason: 'text_response(finish_reason=stop)' },
  ];
  const calls = [turnStart(turn), ...turn.calls, end];
  const seconds = Math.floor(Date.now() / 1000) - 60;
  const times = calls.map((_, i) => ({
    hr: [seconds, i * 1_000_000],
    millis: seconds * 1000 + i,
    date: new Date(seconds * 1000 + i),
  }));
  return { ...turn, calls, times };
}

/** Attributes as a program that uses a tracing library writes them down; the same ones that we make of the hooks. */
const startOf = {
  turn: (p) => ({
    'gen_ai.conversation.id': p.session_id,
    'hermes.turn.id': p.turn_id,
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'hermes',
    'hermes.platform': p.platform,
    'hermes.task.id': p.task_id,
    'hermes.turn.kind': 'user',
    'hermes.producer': '8c35fedf6026d448',
    'gen_ai.request.model': p.model,
  }),
  chat: (p) => ({
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
  }),
  tool: (p) => ({
    'gen_ai.conversation.id': p.session_id,
    'hermes.turn.id': p.turn_id,
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': p.tool_name,
    'gen_ai.tool.call.id': p.tool_call_id,
    'gen_ai.tool.type': 'function',
    'hermes.api.request_id': p.api_request_id,
  }),
};
const endOf = {
  turn: () => ({
    'hermes.turn.outcome': 'completed',
    'hermes.turn.exit_reason': 'text_response',
    'hermes.turn.api_calls': REQUESTS_A_TURN,
    'hermes.turn.tool_calls': REQUESTS_A_TURN * 2,
  }),
  chat: (p) => ({
    'hermes.api.attempts': 1,
    'gen_ai.response.model': p.response_model,
    'gen_ai.response.finish_reasons': [p.finish_reason],
    'gen_ai.usage.input_tokens': p.usage.prompt_tokens,
    'gen_ai.usage.output_tokens': p.usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': p.usage.cache_read_tokens,
    'gen_ai.usage.cache_creation.input_tokens': p.usage.cache_write_tokens,
    'gen_ai.usage.reasoning.output_tokens': p.usage.reasoning_tokens,
  }),
  tool: (p) => ({ 'hermes.tool.status': p.status, 'hermes.tool.duration_ms': p.duration_ms }),
};

/**
 * Tells a turn to `library`: `start(kind, name, attributes, time, parent, payload)` gives what is later handed to
 * `end(kind, opened, attributes, time, payload)`. Kinds are `turn`, `chat` and `tool`.
 */
export function tell(library, { calls, times }) {
  let turn;
  let chat;
  let tool;
  for (let i = 0; i < calls.length; i++) {
    const [hook, payload] = calls[i];
    const time = times[i];
    switch (hook) {
      case 'pre_llm_call':
        turn = library.start('turn', 'invoke_agent hermes', startOf.turn(payload), time, undefined, payload);
        break;
      case 'pre_api_request':
        chat = library.start('chat', `chat ${payload.model}`, startOf.chat(payload), time, turn, payload);
        break;
      case 'post_api_request':
        library.end('chat', chat, endOf.chat(payload), time, payload);
        break;
      case 'pre_tool_call':
        tool = library.start('tool', `execute_tool ${payload.tool_name}`, startOf.tool(payload), time, turn, payload);
        break;
      case 'post_tool_call':
        library.end('tool', tool, endOf.tool(payload), time, payload);
        break;
      default:
        library.end('turn', turn, endOf.turn(payload), time, payload);
    }
  }
}

// The same work for every contestant: rounds of one model request and two tool calls, as hook payloads with ids of
// their own. Payloads are made outside the measured time.
const TOOLS = ['read_file', 'terminal'];

/** A string as an agent holds it: flat, not a rope that the first reader has to join. */
const flat = (text) => Buffer.from(text).toString();

const MARKER = 'hermes.observer.v1';

/** One turn's hook calls: `rounds` × (request start and end, two tool starts and ends). Plain literals, as call sites are. */
export function turnCalls(turn, rounds) {
  const session_id = flat(`20251129_2100${String(turn % 60).padStart(2, '0')}_a1b2c3`);
  const turn_id = flat(`${session_id}:${session_id}:${turn.toString(16).padStart(8, '0')}`);
  const ids = { session_id, task_id: session_id, turn_id };
  const calls = [];
  for (let round = 1; round <= rounds; round++) {
    const api_request_id = flat(`${turn_id}:api:${round}`);
    calls.push(['pre_api_request', requestStart(ids, api_request_id, round)]);
    calls.push(['post_api_request', requestEnd(ids, api_request_id, round)]);
    for (const [i, tool_name] of TOOLS.entries()) {
      const tool_call_id = flat(`call_${turn}_${round}_${i}`);
      calls.push(['pre_tool_call', toolStart(ids, api_request_id, tool_name, tool_call_id)]);
      calls.push(['post_tool_call', toolEnd(ids, api_request_id, tool_name, tool_call_id)]);
    }
  }
  return { session_id, turn_id, ids, calls, spans: rounds * 3 };
}

function requestStart({ session_id, task_id, turn_id }, api_request_id, round) {
  return {
    task_id,
    turn_id,
    session_id,
    api_request_id,
    platform: 'cli',
    model: 'gpt-5',
    provider: 'openai',
    base_url: 'https://api.openai.com/v1',
    api_mode: 'chat_completions',
    api_call_count: round,
    retry_count: 0,
    message_count: 8,
    tool_count: 12,
    max_tokens: 4096,
    telemetry_schema_version: MARKER,
  };
}

function requestEnd({ session_id, task_id, turn_id }, api_request_id, round) {
  return {
    task_id,
    turn_id,
    session_id,
    api_request_id,
    platform: 'cli',
    model: 'gpt-5',
    provider: 'openai',
    base_url: 'https://api.openai.com/v1',
    api_mode: 'chat_completions',
    api_call_count: round,
    api_duration: 1.2,
    first_chunk_at: null,
    finish_reason: 'tool_calls',
    response_model: 'gpt-5-2025-08-07',
    assistant_tool_call_count: 2,
    usage: {
      input_tokens: 150,
      output_tokens: 20,
      cache_read_tokens: 800,
      cache_write_tokens: 0,
      reasoning_tokens: 12,
      prompt_tokens: 950,
    },
    telemetry_schema_version: MARKER,
  };
}

function toolStart({ session_id, task_id, turn_id }, api_request_id, tool_name, tool_call_id) {
  return {
    tool_name,
    args: { path: 'notes/todo.md' },
    task_id,
    session_id,
    tool_call_id,
    turn_id,
    api_request_id,
    telemetry_schema_version: MARKER,
  };
}

function toolEnd({ session_id, task_id, turn_id }, api_request_id, tool_name, tool_call_id) {
  return {
    tool_name,
    args: { path: 'notes/todo.md' },
    task_id,
    session_id,
    tool_call_id,
    turn_id,
    api_request_id,
    result: '{"content": "buy milk"}',
    duration_ms: 12,
    status: 'ok',
    error_type: null,
    error_message: null,
    telemetry_schema_version: MARKER,
  };
}

/** Start of a turn. */
export function turnStart({ ids: { session_id, task_id, turn_id } }) {
  return [
    'pre_llm_call',
    { session_id, task_id, turn_id, model: 'gpt-5', platform: 'cli', is_first_turn: true, parent_session_id: '' },
  ];
}

/** Strictly rising times, one a call; made outside the measured time. */
export function times(count) {
  const base = Math.floor(Date.now() / 1000);
  return Array.from({ length: count }, (_, i) => [base + Math.floor(i / 1000), (i % 1000) * 1_000_000]);
}

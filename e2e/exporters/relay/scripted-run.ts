import { join } from 'node:path';
import type { Payload } from '@hermes-observer/core';
import { createObserver } from '@hermes-observer/otel';
import { AtifExporter, AtofExporter } from '@hermes-observer/relay';

const MODEL = 'm-1';

/** The run of `peer-run.py` through hooks: `ours.jsonl` and a folder `ours` below `folder`. */
export async function scriptedRun(folder: string): Promise<void> {
  const observer = createObserver({
    capture: 'full',
    exporters: [
      new AtofExporter({ path: join(folder, 'ours.jsonl'), mode: 'overwrite' }),
      new AtifExporter({ folder: join(folder, 'ours') }),
    ],
    env: {},
  });
  /** Each hook a second after the one before, so that the order of all ends is certain. */
  let seconds = 1_800_000_000;
  const hub = {
    emit: (hook: string, payload: Payload) => observer.hub.emit(hook, payload, { time: [seconds++, 0] }),
  };
  const turn = { session_id: 's-1', turn_id: 't-1' };
  const child = { session_id: 's-2', turn_id: 't-2' };
  let requests = 0;

  interface Request {
    readonly of: typeof turn;
    readonly messages: readonly unknown[];
    readonly content: string | null;
    readonly calls?: readonly (readonly [id: string, name: string, args: object])[];
    readonly usage: readonly [prompt: number, completion: number, cached: number];
  }
  function request({ of, messages, content, calls = [], usage: [prompt, completion, cached] }: Request): void {
    const ids = {
      ...of,
      api_request_id: `r-${++requests}`,
      model: MODEL,
      provider: 'openai',
      api_mode: 'chat_completions',
    };
    const asked = calls.map(([id, name, args]) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    hub.emit('pre_api_request', { ...ids, request: { body: { messages } } });
    hub.emit('post_api_request', {
      ...ids,
      response_model: MODEL,
      finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      usage: { prompt_tokens: prompt, output_tokens: completion, cache_read_tokens: cached },
      assistant_message: { role: 'assistant', content, ...(asked.length > 0 && { tool_calls: asked }) },
    });
  }
  function tool([id, name, args]: readonly [string, string, object], end: object, inside = () => {}): void {
    const ids = { ...turn, tool_call_id: id, tool_name: name, args };
    hub.emit('pre_tool_call', ids);
    inside();
    hub.emit('post_tool_call', { ...ids, ...end });
  }

  const user = { role: 'user', content: 'What is in the notes?' };
  const calls = [
    ['c-1', 'list_files', { path: '.' }],
    ['c-2', 'delegate_task', { goal: 'Count the lines.' }],
    ['c-3', 'read_file', { path: 'gone.txt' }],
  ] as const;
  hub.emit('pre_llm_call', { ...turn, user_message: user.content, model: MODEL });
  request({ of: turn, messages: [user], content: null, calls, usage: [10, 5, 4] });
  tool(calls[0], { status: 'ok', result: '{"files":["notes.txt"]}' });
  tool(calls[1], { status: 'ok', result: 'Three lines.' }, () => {
    const ids = { parent_session_id: 's-1', parent_turn_id: 't-1', child_session_id: 's-2', child_role: 'leaf' };
    hub.emit('subagent_start', { ...ids, child_goal: 'Count the lines.' });
    const messages = [{ role: 'user', content: 'Count the lines.' }];
    request({ of: child, messages, content: 'Three lines.', usage: [7, 3, 0] });
    hub.emit('on_session_end', { ...child, completed: true });
    hub.emit('subagent_stop', { ...ids, child_status: 'completed', child_summary: 'Three lines.' });
  });
  tool(calls[2], { status: 'error', error_type: 'RuntimeError', error_message: 'no such file' });
  const asked = calls.map(([id, name, args]) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
  const history = [
    user,
    { role: 'assistant', content: null, tool_calls: asked },
    ...calls.map(([id]) => ({ role: 'tool', tool_call_id: id, content: '…' })),
  ];
  request({ of: turn, messages: history, content: 'Three lines.', usage: [30, 4, 20] });
  hub.emit('post_llm_call', { ...turn, assistant_response: 'Three lines.' });
  hub.emit('on_session_end', { ...turn, completed: true });
  await observer.shutdown();
}

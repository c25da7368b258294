import * as z from 'zod';
import { middlewareTrace } from './exchange.js';
import { anyObject, count, hook, integer, text } from './fields.js';
import { apiRequestId, sessionId, taskId, toolCallId, turnId } from './identity.js';

const call = {
  tool_name: text('Name of the tool after repair.', ['terminal', 'read_file', 'execute_code', 'delegate_task']),
  args: anyObject(
    'Arguments, unredacted. `{}` when the model’s JSON was malformed. Before a plugin’s `modify` in the pre hook, after it in the post hook.',
  ),
  task_id: taskId,
  session_id: sessionId,
  tool_call_id: toolCallId,
  turn_id: turnId,
  api_request_id: apiRequestId,
};

const outcome = {
  result: z
    .union([z.string(), z.looseObject({})])
    .nullish()
    .describe(
      'What the model gets, unredacted: mostly JSON text; an object with `_multimodal: true` for multimodal results.',
    ),
  result_status: text(
    'Top-level `status` of a JSON result, taken out by a producer that drops the result itself. Absent otherwise.',
    ['blocked', 'cancelled', 'timeout'],
  ),
  duration_ms: count(
    'Milliseconds. 0 for blocked and cancelled calls. One call at a time: plugin hooks and the wait for an approval included; in parallel: the tool alone.',
  ),
  status: text('How the call ended.', ['ok', 'error', 'blocked', 'cancelled', 'timeout']),
  error_type: text('Class of the failure, or what blocked the call. Null when ok.', [
    'tool_error',
    'invalid_tool_arguments',
    'thread_missing_result',
    'plugin_block',
    'tool_scope_block',
    'guardrail_block',
    'edit_approval_denied',
    'user_interrupt',
    'keyboard_interrupt',
    'tool_timeout',
  ]),
  error_message: text('Message of the failure, unredacted; may be a translation key. Null when ok.'),
};

export const preToolCall = hook(
  'A tool call is about to run; plugins may block, change or send it to a person. May come without a post: crashes, tools inside `execute_code`, stops.',
  { ...call, middleware_trace: middlewareTrace },
);
export type PreToolCall = z.infer<typeof preToolCall>;

export const postToolCall = hook(
  'A tool call ended. May come without a pre (malformed arguments, blocks, skips) and twice for one call (a timeout, then the late worker): the first counts.',
  { ...call, ...outcome, middleware_trace: middlewareTrace },
);
export type PostToolCall = z.infer<typeof postToolCall>;

export const transformToolResult = hook(
  'Plugins may replace a tool’s result; the first string wins. Before or after `post_tool_call`, by execution path; the only end of tools inside `execute_code`. Since 0.20.0.',
  { ...call, ...outcome },
);
export type TransformToolResult = z.infer<typeof transformToolResult>;

export const transformTerminalOutput = hook(
  'Plugins may replace the output of a terminal command; the first string wins. Since 0.20.0.',
  {
    command: text('The command, unredacted.'),
    output: text('What it wrote, unredacted.'),
    returncode: integer('Exit code; negative for a signal. Null while a background command runs.'),
    task_id: text('Not the agent’s task: `default` or `session:` and the session key. Empty when unknown.'),
    tool_call_id: toolCallId,
    env_type: text('Where the command ran.', ['local', 'docker', 'ssh']),
  },
);
export type TransformTerminalOutput = z.infer<typeof transformTerminalOutput>;

import type * as z from 'zod';
import { count, flag, hook, id, list, text, textOrParts, texts } from './fields.js';
import { model, platform, sessionId, taskId, turnId } from './identity.js';

const userMessage = textOrParts('The user’s message, unredacted; a list of content parts when multimodal.');
const history = list(
  'Messages so far in the provider’s shape, unredacted, the current one included. May be very large.',
);

export const preLlmCall = hook(
  'A turn starts: once per run of the conversation loop, before its first model request. Also for child agents and cron.',
  {
    session_id: sessionId,
    task_id: taskId,
    turn_id: turnId,
    user_message: userMessage,
    conversation_history: history,
    is_first_turn: flag('True when the session had no history.'),
    model,
    platform,
    parent_session_id: id(
      'Session that started this one: the parent of a child agent. Equal to `session_id` for a background review. Absent before 0.20.0.',
    ),
    sender_id: id('User at a gateway who sent the message.'),
  },
);
export type PreLlmCall = z.infer<typeof preLlmCall>;

export const postLlmCall = hook(
  'A turn has its final answer. Only when there is one and the turn was not interrupted; not for turns that return early. `on_session_end` ends the turn, this does not.',
  {
    session_id: sessionId,
    task_id: taskId,
    turn_id: turnId,
    user_message: userMessage,
    assistant_response: text('Final answer after `transform_llm_output` and footers, unredacted.'),
    conversation_history: history,
    model,
    platform,
  },
);
export type PostLlmCall = z.infer<typeof postLlmCall>;

export const onSessionEnd = hook(
  'A turn ended (the name is historic). Full shape from the turn’s own end; reduced shapes from an interrupted command line (`reason`, no `failed`, no `turn_exit_reason`) and from a closed terminal UI session (no ids of a turn, sent even when no turn runs). Turns that return early or die send none.',
  {
    session_id: sessionId,
    task_id: taskId,
    turn_id: turnId,
    api_request_id: id('Request that ran when the command line was interrupted. Reduced shape only.'),
    completed: flag('The turn gave an answer within its budget. 0.20.1 may send true together with `interrupted`.'),
    failed: flag('The turn failed. Absent in reduced shapes.'),
    interrupted: flag('A user or the system stopped the turn.'),
    turn_exit_reason: text('Why the loop ended; details may follow in parentheses. Absent in reduced shapes.', [
      'text_response(finish_reason=stop)',
      'interrupted_by_user',
      'interrupted_during_api_call',
      'budget_exhausted',
      'max_iterations_reached(12/12)',
      'all_retries_exhausted_no_response',
      'empty_response_exhausted',
      'partial_stream_recovery',
      'guardrail_halt',
      'waiting_for_approval',
      'unknown',
    ]),
    reason: text('What stopped the process. Reduced shapes only.', ['keyboard_interrupt', 'shutdown']),
    model,
    platform,
  },
);
export type OnSessionEnd = z.infer<typeof onSessionEnd>;

export const transformLlmOutput = hook(
  'Plugins may replace the final answer of a turn; the first non-empty string wins. Skipped when interrupted. Since 0.20.0.',
  {
    response_text: text('The answer before the change, unredacted.'),
    session_id: sessionId,
    turn_id: turnId,
    model,
    platform,
  },
);
export type TransformLlmOutput = z.infer<typeof transformLlmOutput>;

export const preVerify = hook(
  'The agent is about to accept its own answer; a plugin may make it go on. At most three times a turn. Since 0.20.0.',
  {
    session_id: sessionId,
    platform,
    model,
    coding: flag('The turn changed code.'),
    attempt: count('How often the turn was sent on already, from 0.'),
    final_response: text('The answer in question, unredacted.'),
    changed_paths: texts('Files the turn changed, as paths of the agent’s machine.'),
  },
);
export type PreVerify = z.infer<typeof preVerify>;

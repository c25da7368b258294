import type * as z from 'zod';
import { requestSizes, sanitisedRequest, sanitisedResponse, usage } from './exchange.js';
import { count, flag, hook, id, list, seconds, text } from './fields.js';
import { apiMode, baseUrl, model, platform, provider, sessionId, taskId, turnId } from './identity.js';

const call = {
  session_id: sessionId,
  task_id: taskId,
  turn_id: turnId,
  platform,
  aux_task: text('What the call is for.', [
    'title_generation',
    'compression',
    'vision',
    'approval',
    'moa_reference',
    'moa_aggregator',
  ]),
  api_request_id: id('One logical auxiliary call, shared by all its attempts.'),
  retry_count: count('Attempts before this one.'),
  api_call_count: count('retry_count + 1.'),
  model,
  provider,
  base_url: baseUrl,
  api_mode: apiMode,
  streaming: flag('The answer is streamed; then usage and answer are not reported.'),
  started_at: seconds('Start of this attempt, seconds since the Unix epoch.'),
  message_count: requestSizes.message_count,
};

export const preAuxiliaryCall = hook(
  'The agent asks a model for its own needs: a title, a compression, a picture, an approval. Ids are those of the turn, all empty outside one. Since 0.21.',
  {
    ...call,
    request_messages: list('Messages of the request, unredacted.'),
    system_prompt: text('System prompt, unredacted. Empty when none.'),
    tool_count: requestSizes.tool_count,
    approx_input_tokens: count('Estimate of the prompt’s tokens: characters / 4.'),
    request_char_count: requestSizes.request_char_count,
    max_tokens: requestSizes.max_tokens,
    request: sanitisedRequest,
  },
);
export type PreAuxiliaryCall = z.infer<typeof preAuxiliaryCall>;

export const postAuxiliaryCall = hook(
  'An attempt of an auxiliary call ended, well or not. May come after the end of its turn. Since 0.21.',
  {
    ...call,
    ended_at: seconds('End of this attempt, seconds since the Unix epoch.'),
    api_duration: seconds('Length of this attempt in seconds.'),
    error: text(
      '`Type: message`, at most 2,000 characters, unredacted. Null when it went well. A string here, unlike in `api_request_error`.',
    ),
    error_type: text('Name of the exception class. Null when it went well.'),
    finish_reason: text('Why the answer ended. Null on an error or a stream.', ['stop', 'tool_calls', 'length']),
    response_model: text('Model the provider reported. Null on an error or a stream.'),
    usage,
    response: sanitisedResponse,
    assistant_content_chars: count('Characters of the answer’s text. 0 on an error or a stream.'),
    assistant_tool_call_count: count('Tool calls in the answer. 0 on an error or a stream.'),
  },
);
export type PostAuxiliaryCall = z.infer<typeof postAuxiliaryCall>;

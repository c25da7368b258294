import * as z from 'zod';
import { middlewareTrace, requestSizes, sanitisedRequest, sanitisedResponse, usage } from './exchange.js';
import { anything, count, flag, hook, integerOrText, list, seconds, text, textOrParts } from './fields.js';
import {
  apiCallCount,
  apiMode,
  apiRequestId,
  baseUrl,
  model,
  platform,
  provider,
  sessionId,
  taskId,
  turnId,
} from './identity.js';

const request = {
  task_id: taskId,
  turn_id: turnId,
  api_request_id: apiRequestId,
  session_id: sessionId,
  platform,
  model,
  provider,
  base_url: baseUrl,
  api_mode: apiMode,
  api_call_count: apiCallCount,
};

const startedAt = seconds('Start of the request’s first attempt, seconds since the Unix epoch. Not of this retry.');
const apiDuration = seconds('Seconds since `started_at`: earlier failed attempts and the waits between them included.');
const endedAt = seconds('End of the attempt, seconds since the Unix epoch.');

export const preApiRequest = hook(
  'A provider attempt starts. Sent again with the same id for each retry, and with another provider or model for a fallback. May stay without an end: interrupts, cut streams, process death. Since 0.20.0.',
  {
    ...request,
    user_message: textOrParts('The turn’s user message, unredacted; a list of content parts when multimodal.'),
    conversation_history: list('Messages of the session, unredacted. May be very large or empty.'),
    request_messages: list('Messages of this request, unredacted. May be very large or empty.'),
    retry_count: count('Retries before this attempt. Back to 0 after a fallback or a restart. Absent before 0.20.0.'),
    system_prompt: textOrParts('System prompt, unredacted; a list of blocks for Anthropic. Absent before 0.20.1.'),
    ...requestSizes,
    started_at: startedAt,
    middleware_trace: middlewareTrace,
    request: sanitisedRequest,
  },
);
export type PreApiRequest = z.infer<typeof preApiRequest>;

const advisor = z.looseObject({
  label: text('Name of the advisor, `provider:model`.'),
  model,
  provider,
  temperature: z.number().nullish().describe('Sampling temperature. Null when not set.'),
  output: text('What the advisor wrote, unredacted.'),
  usage,
  cost_usd: z.number().nullish().describe('Cost in US dollars. Null when unknown.'),
  cost_status: text('What is known of the cost.', ['unknown']),
  cost_source: text('Where the cost comes from.', ['none']),
});

export const postApiRequest = hook(
  'A provider attempt gave an answer, which ends the request. Not sent for answers the loop threw away (cut tool calls, continued text). Since 0.20.0.',
  {
    ...request,
    api_duration: apiDuration,
    started_at: startedAt,
    ended_at: endedAt,
    first_chunk_at: seconds(
      'First chunk of the stream, seconds since the Unix epoch. Null when not streamed; absent before 0.21.',
    ),
    finish_reason: text('Why the answer ended. Null when the provider did not say.', [
      'stop',
      'tool_calls',
      'length',
      'content_filter',
      'incomplete',
    ]),
    message_count: requestSizes.message_count,
    context_length: count('Size of the model’s context window in tokens. Seen since 0.22.'),
    response_model: text('Model the provider reported. Null when it did not.'),
    response: sanitisedResponse,
    usage,
    assistant_message: anything(
      'Live object of the agent. Arrives as its type name in angle brackets, or as its text form.',
    ),
    assistant_content_chars: count('Characters of the answer’s text.'),
    assistant_tool_call_count: count('Tool calls in the answer, before duplicates are removed.'),
    moa_references: z
      .array(advisor)
      .nullish()
      .describe(
        'Advisors of a mixture of agents, repeated in every later answer of the turn. Null otherwise. Since 0.20.1.',
      ),
  },
);
export type PostApiRequest = z.infer<typeof postApiRequest>;

export const apiRequestError = hook(
  'A provider attempt failed. Another attempt, a fallback or nothing may follow, whatever `retryable` says. A refused answer (HTTP 200) comes here too. Since 0.20.0.',
  {
    ...request,
    api_duration: apiDuration,
    started_at: startedAt,
    ended_at: endedAt,
    status_code: integerOrText(
      'HTTP status. Null when there was no answer; a string code for answers the agent found invalid.',
    ),
    retry_count: count('Retries before this attempt.'),
    max_retries: count('Retries the agent allows itself.'),
    retryable: flag('The agent holds the error to be passing.'),
    reason: text('Class of the error.', [
      'auth',
      'auth_permanent',
      'billing',
      'rate_limit',
      'upstream_rate_limit',
      'overloaded',
      'server_error',
      'timeout',
      'context_overflow',
      'payload_too_large',
      'model_not_found',
      'content_policy_blocked',
      'format_error',
      'invalid_response',
      'unknown',
    ]),
    error: z
      .looseObject({
        type: text('Name of the exception class, or `InvalidAPIResponse`, `ContentPolicyBlocked`.'),
        message: text('Message of the provider or the exception, unredacted and of any length.'),
      })
      .nullish()
      .describe('What went wrong.'),
    request: sanitisedRequest,
  },
);
export type ApiRequestError = z.infer<typeof apiRequestError>;

export const transformApiErrorClassification = hook(
  'Plugins may change how the agent classes a provider error, before `api_request_error`. Carries no ids. Since 0.20.1.',
  {
    provider,
    model,
    status_code: integerOrText('HTTP status. Null when there was no answer.'),
    error_type: text('Name of the exception class.'),
    error_code: integerOrText('Code the provider gave. Empty or null when it gave none.'),
    error_message: text('Message in lower case, unredacted.'),
    error_body: z
      .union([z.looseObject({}), z.string()])
      .nullish()
      .describe('Body of the provider’s answer. `{}` when there was none.'),
    error: anything('Live exception of the agent. Arrives as its type name in angle brackets, or as its text form.'),
    approx_tokens: count('Estimate of the prompt’s tokens.'),
    context_length: count('Size of the model’s context window in tokens.'),
    num_messages: count('Messages of the request.'),
  },
);
export type TransformApiErrorClassification = z.infer<typeof transformApiErrorClassification>;

import * as z from 'zod';
import { anything, count, list, text } from './fields.js';

// The parts that model requests, answers and auxiliary calls have in common.

const truncation = {
  _truncated: z.boolean().nullish().describe('True when the agent cut the object to a preview.'),
  original_type: text('Type of what was cut. Only with `_truncated`.', ['dict']),
  preview: text('Start of the JSON text, cut anywhere: not parseable. Only with `_truncated`.'),
};

/** A provider request as the agent sanitised it. */
export const sanitisedRequest = z
  .union([
    z.looseObject({
      method: text('HTTP method.', ['POST']),
      body: anything('Arguments for the provider in the shape of `api_mode`. An object; `{}` when none were built.'),
      ...truncation,
    }),
    z.string(),
  ])
  .nullish()
  .describe(
    'The request, capped in depth, length and size and redacted by key name only. An object with `method` and `body`, or a preview with `_truncated`, or a plain string when it could not be written as JSON.',
  );

/** Token usage of one answer. */
export const usage = z
  .looseObject({
    input_tokens: count('Tokens of the prompt that came from no cache.'),
    output_tokens: count('Tokens of the answer, reasoning included.'),
    cache_read_tokens: count('Tokens of the prompt read from the provider’s cache. 0 may mean not reported.'),
    cache_write_tokens: count('Tokens of the prompt written to the provider’s cache. 0 may mean not reported.'),
    reasoning_tokens: count('Tokens of reasoning: a part of `output_tokens`, never to be added to it.'),
    request_count: count('Requests counted here.'),
    prompt_tokens: count('All tokens of the prompt: input + cache read + cache write.'),
    total_tokens: count('prompt_tokens + output_tokens.'),
  })
  .nullish()
  .describe('Tokens as the provider reported them. Null when it reported none.');

/** A provider answer as the agent sanitised it. */
export const sanitisedResponse = z
  .union([
    z.looseObject({
      model: text('Model the provider reported.'),
      upstream_provider: text('Provider behind a relay, when it tells. Absent before 0.21.'),
      finish_reason: text('Why the answer ended.', ['stop', 'tool_calls', 'length', 'content_filter', 'incomplete']),
      assistant_message: anything(
        'The message: `role`, `content` (string, parts or null), `tool_calls`. A tool call is `{id, name, arguments}` from the loop and `{id, type, function: {name, arguments}}` from auxiliary calls; `arguments` is JSON text.',
      ),
      usage,
      ...truncation,
    }),
    z.string(),
  ])
  .nullish()
  .describe('The answer, sanitised like the request. Reasoning text is not part of it. Null where there was none.');

export const middlewareTrace = list(
  'What middleware changed, in order: objects with `source`, `reason`, `name`. Empty when none did.',
);

/** How large a request is: the same fields in every request hook. */
export const requestSizes = {
  message_count: count('Messages of the request.'),
  tool_count: count('Tools offered to the model.'),
  approx_input_tokens: count('Estimate of the prompt’s tokens, made by the agent.'),
  request_char_count: count('Characters of the request.'),
  max_tokens: z
    .int()
    .min(0)
    .nullish()
    .describe(
      'Limit for the answer in tokens. Null when none is set, and for Anthropic requests that set it in the body.',
    ),
};

import type { HrTime, Payload } from '@hermes-observer/core';
import { minusMillis } from '@hermes-observer/core';
import { durationMillis } from './fields.js';

/**
 * When something began of which only the end was reported: end minus duration, or the end itself when no sane duration
 * came with it. `undefined` for hooks that are no such end.
 */
export function loneStart(hook: string, payload: Payload, time: HrTime): HrTime | undefined {
  let millis: number | undefined;
  if (hook === 'post_tool_call' || hook === 'subagent_stop') millis = durationMillis(payload.duration_ms, 1);
  else if (hook === 'post_api_request' || hook === 'api_request_error' || hook === 'post_auxiliary_call') {
    millis = durationMillis(payload.api_duration, 1000);
  } else return undefined;
  return minusMillis(time, millis ?? 0);
}

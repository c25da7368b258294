import type * as z from 'zod';
import { count, flag, hook, text } from './fields.js';
import { model, provider, sessionId, turnId } from './identity.js';

// Stream hooks come from queues of their own: late, after the end of their request or turn, and dropped when the queue is
// full. They name no request: join on turn and iteration.

const stream = {
  turn_id: turnId,
  iteration: count('`api_call_count` of the request that streams.'),
  session_id: sessionId,
  model,
  provider,
  surface: text('Platform of the turn, `cli` when unknown.'),
};

export const onStreamStart = hook(
  'A streamed answer begins. Again for each retry of the same request. Since 0.20.1.',
  stream,
);
export type OnStreamStart = z.infer<typeof onStreamStart>;

export const onStreamDelta = hook('A piece of a streamed answer. Since 0.20.1.', {
  ...stream,
  delta: text('The piece, unredacted.'),
  kind: text('What it is a piece of; reasoning only where the agent is set to send it.', ['text', 'reasoning']),
});
export type OnStreamDelta = z.infer<typeof onStreamDelta>;

export const onStreamEnd = hook('A streamed answer ended. May come after `on_session_end`. Since 0.20.1.', {
  ...stream,
  final_text: text('The whole text, unredacted.'),
  finished: flag('The stream came to its end.'),
  error: text('What broke it. Null when nothing did.'),
});
export type OnStreamEnd = z.infer<typeof onStreamEnd>;

export const onInterimMessage = hook('Text the model wrote before its tool calls. Since 0.20.1.', {
  ...stream,
  text: text('The text, unredacted.'),
  already_streamed: flag('The text went out as deltas before.'),
});
export type OnInterimMessage = z.infer<typeof onInterimMessage>;

import type * as z from 'zod';
import { hook, id, text } from './fields.js';
import { platform, sessionId, sessionKey } from './identity.js';

const prompt = {
  kind: text('What is asked for.', ['sudo', 'clarify', 'approval']),
  request_id: id('One prompt: pairs request and answer.'),
  session_id: sessionId,
  session_key: sessionKey,
  platform,
  prompt: text('The question, redacted by the agent. Empty when that failed.'),
};

export const onHumanInputRequest = hook(
  'The agent waits for a person. Overlaps with the approval hooks, around or inside them by surface. Carries no turn. Since 0.22.',
  prompt,
);
export type OnHumanInputRequest = z.infer<typeof onHumanInputRequest>;

export const onHumanInputResolved = hook('The wait for a person is over. Since 0.22.', {
  ...prompt,
  outcome: text('How it ended.', ['submitted', 'provided', 'once', 'session', 'deny', 'timeout', 'error']),
});
export type OnHumanInputResolved = z.infer<typeof onHumanInputResolved>;

import type * as z from 'zod';
import { hook, id, text, texts } from './fields.js';
import { sessionId, sessionKey, toolCallId, turnId } from './identity.js';

const question = {
  command: text('The command or action in question; unredacted on the command line.'),
  description: text('What the rule calls it.'),
  pattern_key: text('Rule that asked. With turn, tool call and surface it pairs request and response.'),
  pattern_keys: texts('All rules that asked.'),
  session_key: sessionKey,
  surface: text('Who is asked. `transport:` and a name for a remote one.', ['cli', 'gateway', 'smart', 'claude_sdk']),
  turn_id: turnId,
  tool_call_id: toolCallId,
  session_id: sessionId,
  request_id: id('One request of a remote transport or of a policy. Absent for all others. Since 0.20.1.'),
  request_digest: text(
    'Digest of a remote transport’s request, or of a policy’s. Absent for all others. Since 0.20.1.',
  ),
  decision_id: id('Decision of a policy that asks, as in its `observer_policy_decision`. Absent for all others.'),
};

export const preApprovalRequest = hook(
  'The agent asks a person, or a model in their place, whether an action may run. Not sent where the answer was known: remembered, automatic, one-shot runs.',
  question,
);
export type PreApprovalRequest = z.infer<typeof preApprovalRequest>;

export const postApprovalResponse = hook(
  'The answer to an approval request. Missing after a smart approval that went on to a person.',
  {
    ...question,
    choice: text('The answer.', [
      'once',
      'session',
      'always',
      'deny',
      'timeout',
      'cancelled',
      'smart_approve',
      'smart_deny',
      'notify_failed',
      'pending',
    ]),
    approver_ref: text(
      'Whom it was answered by: opaque, the same for the same person within a policy. Absent otherwise.',
    ),
    decided_by: text('Who answered, where it was no person. Absent otherwise.', ['aux_llm']),
  },
);
export type PostApprovalResponse = z.infer<typeof postApprovalResponse>;

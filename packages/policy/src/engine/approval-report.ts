import { redactText } from '@hermes-observer/core';
import type { Approval } from '../approvals/approval.js';
import { approverRef } from './approver-ref.js';
import type { Question } from './question.js';

/** The wait for a person in the trace: a request and a response, which become one span below the call's. */
export class ApprovalReport {
  readonly #question: Question;
  readonly #fields: Readonly<Record<string, unknown>>;
  readonly #salt: string;

  /** The wait begins. */
  constructor(question: Question, approval: Approval, salt: string) {
    this.#question = question;
    this.#salt = salt;
    const gates = approval.gates.map(({ name }) => name);
    const [channel, ...others] = approval.channels;
    this.#fields = {
      session_id: question.sessionId,
      session_key: question.sessionId,
      turn_id: question.turnId,
      tool_call_id: question.callId,
      surface: channel !== undefined && others.length === 0 ? channel : 'policy',
      pattern_key: gates.join('+'),
      pattern_keys: gates,
      // Not what runs: that stands on the call, if it may be seen at all. A title may quote it.
      command: question.tool,
      description: redactText(approval.title),
      request_id: approval.id,
      request_digest: approval.digest,
      decision_id: question.decisionId,
    };
    this.#report('pre_approval_request', this.#fields);
  }

  /** It ends, with an answer or without one. */
  ended(approval: Approval | undefined, choice = choiceOf(approval)): void {
    const ref = approverRef(approval?.decider ?? null, this.#salt);
    this.#report('post_approval_response', {
      ...this.#fields,
      choice,
      ...(ref === undefined ? {} : { approver_ref: ref }),
    });
  }

  #report(hook: 'pre_approval_request' | 'post_approval_response', payload: Readonly<Record<string, unknown>>): void {
    try {
      this.#question.sink?.report(hook, payload);
    } catch {
      // Reports decide nothing.
    }
  }
}

function choiceOf(approval: Approval | undefined): string {
  switch (approval?.state) {
    case 'approved':
    case 'executing':
    case 'executed':
    case 'outcome_unknown':
      return 'once';
    case 'rejected':
      return 'deny';
    case 'expired':
      return 'timeout';
    case 'cancelled':
      return 'cancelled';
    default:
      return 'pending';
  }
}

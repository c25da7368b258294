import { ObserverError } from '@hermes-observer/core';
import type { Approval, Decider } from '../approvals/approval.js';
import type { ApprovalRequest, ApprovalsPort } from '../approvals/approvals-port.js';
import { canonicalJson } from '../call/canonical.js';
import { argsDigest, callDigest } from '../call/digest.js';
import type { Answered } from '../hooks/hook.js';
import { ApprovalReport } from './approval-report.js';
import { approverRef } from './approver-ref.js';
import type { Composed } from './compose.js';
import type { Failures } from './failures.js';
import { mergeTerms } from './merge-terms.js';
import type { Patience } from './patience.js';
import { digestedOf, type Question } from './question.js';
import type { BlockKind } from './verdict.js';

/** What asking a person came to. */
export type Approved = AskedOf &
  (
    | /** `approvalId`: it is executing now, on disk. `undefined`: a remembered answer covers it. */
    {
        readonly ok: true;
        readonly kind: 'allowed' | 'remembered';
        /** Of the person; '' without one. */
        readonly comment: string;
      }
    | { readonly ok: false; readonly kind: BlockKind; readonly reason: string }
  );

interface AskedOf {
  readonly approvalId: string | undefined;
  /** The remembered answer that covers it, and the request that it was an answer to. */
  readonly covering?: { readonly id: string; readonly approvalId: string } | undefined;
  readonly decider: Decider | null;
}

/** Asks a person about a call, once, and takes the answer for this one run. */
export class ApprovalStep {
  readonly #port: ApprovalsPort | undefined;
  readonly #salt: string;
  readonly #failures: Failures;

  constructor(port: ApprovalsPort | undefined, salt: string, failures: Failures) {
    this.#port = port;
    this.#salt = salt;
    this.#failures = failures;
  }

  /** Never rejects: what goes wrong blocks. */
  async decide(question: Question, composed: Composed, patience: () => Patience): Promise<Approved> {
    const request = requestOf(question, composed);
    if (typeof request === 'string') return blocked('config_error', request);
    const port = this.#port;
    if (port === undefined) {
      return blocked('config_error', 'It needs a person’s approval, and nobody is set up to be asked.');
    }
    try {
      const remembered = await port.covering(request);
      if (remembered !== undefined) {
        const { id, approvalId, decider } = remembered;
        return {
          ok: true,
          approvalId: undefined,
          kind: 'remembered',
          comment: '',
          covering: { id, approvalId },
          decider,
        };
      }
      return await this.#ask(port, question, composed, request, patience());
    } catch (error) {
      this.#failures.add({ gate: '', event: question.event, kind: 'hook_error', error });
      if (ObserverError.isInstance(error) && error.code === 'HO_POLICY_CONFIG') {
        return blocked('config_error', `It needs a person’s approval, and cannot get one: ${error.message}`);
      }
      return blocked(
        'hook_error',
        'It needs a person’s approval, and the question could not be asked or its answer not be kept.',
      );
    }
  }

  /** What hooks are told of it. */
  told(approved: Approved): Answered {
    const { ok, kind, approvalId, covering, decider } = approved;
    return {
      outcome: ok ? 'allow' : 'deny',
      kind,
      reason: ok ? undefined : approved.reason,
      approvalId: covering?.approvalId ?? approvalId,
      rememberedId: covering?.id,
      approverRef: approverRef(decider, this.#salt),
      approver: decider === null ? undefined : `${decider.channel}:${decider.id}`,
    };
  }

  /** It does not run in spite of all: the approval is no longer in use, and not to be used again. Never rejects. */
  async takeBack({ approvalId }: Approved): Promise<void> {
    if (approvalId === undefined) return;
    try {
      await this.#port?.cancel(approvalId);
    } catch (error) {
      this.#failures.add({ gate: '', event: 'PreToolUse', kind: 'hook_error', error });
    }
  }

  async #ask(
    port: ApprovalsPort,
    question: Question,
    composed: Composed,
    request: ApprovalRequest,
    patience: Patience,
  ): Promise<Approved> {
    let approval: Approval;
    try {
      approval = await port.request(request);
      const report = new ApprovalReport(question, approval, this.#salt);
      if (approval.state !== 'pending') report.ended(approval);
      else {
        const answered = await waited(port, approval, patience, report);
        if (answered === undefined) return await gaveUp(port, approval, patience.gaveUp ?? 'pending');
        approval = answered;
      }
    } finally {
      patience.end();
    }
    if (approval.state !== 'approved') return refusal(approval);
    return await take(port, question, composed, request, approval);
  }
}

/** The answer; `undefined` when nobody waits for it any more. */
async function waited(
  port: ApprovalsPort,
  approval: Approval,
  patience: Patience,
  report: ApprovalReport,
): Promise<Approval | undefined> {
  try {
    const answered = await port.answered(approval.id, patience.signal);
    report.ended(answered);
    return answered;
  } catch (error) {
    report.ended(undefined, patience.gaveUp ?? 'notify_failed');
    if (patience.gaveUp === undefined) throw error;
    return undefined;
  }
}

/** A question that was called off is not left for people to answer; one that will be asked again is. */
async function gaveUp(port: ApprovalsPort, approval: Approval, why: 'cancelled' | 'pending'): Promise<Approved> {
  if (why === 'pending') {
    return blocked(
      'pending',
      'A person has been asked and has not answered yet. This is no consent. The same call, asked again, gets the answer.',
      approval,
    );
  }
  await port.cancel(approval.id);
  return blocked('cancelled', 'The question whether it may run was called off.', approval);
}

/** approved → executing, for exactly what is about to run. */
async function take(
  port: ApprovalsPort,
  question: Question,
  composed: Composed,
  request: ApprovalRequest,
  approval: Approval,
): Promise<Approved> {
  const { tool } = question;
  const json = canonicalJson(composed.frozen.value);
  const digest = callDigest(digestedOf(question), json);
  // An answer to the same action, asked for by a call that stopped waiting, has that call's digest.
  const isSame = (other: Approval) =>
    other.tool === tool &&
    other.args === json &&
    other.sessionId === request.sessionId &&
    other.agent === request.agent &&
    (other.digest === digest || other.callId !== request.callId || other.turnId !== request.turnId);
  if (digest !== request.digest || !isSame(approval)) {
    return blocked('config_error', OTHER, approval);
  }
  const claimed = await port.claim(approval.id);
  if (claimed === undefined) {
    return blocked('already_run', 'This very call was approved once, and that approval has been used.', approval);
  }
  if (!isSame(claimed)) return blocked('config_error', OTHER, approval);
  return { ok: true, approvalId: approval.id, kind: 'allowed', comment: claimed.comment, decider: claimed.decider };
}

const OTHER = 'What was approved is not what is about to run.';

function refusal(approval: Approval): Approved {
  const { state, comment } = approval;
  const said = comment === '' ? '' : ` They say: ${comment}`;
  switch (state) {
    case 'rejected':
      return blocked(
        'denied',
        `A person was asked and refused it. Do not try to reach the same by another way.${said}`,
        approval,
      );
    case 'expired':
      return blocked(
        'expired',
        'A person was asked and did not answer in time. This is no consent. Do not try to reach the same by another way.',
        approval,
      );
    case 'cancelled':
      return blocked('cancelled', 'The question whether it may run was called off.', approval);
    case 'executing':
      return blocked('already_run', 'This very call is running already.', approval);
    case 'executed':
      return blocked('already_run', 'This very call has run already.', approval);
    default:
      return blocked(
        'outcome_unknown',
        'This very call was begun before, and nobody knows whether it took effect. It is not run again.',
        approval,
      );
  }
}

const blocked = (kind: BlockKind, reason: string, approval?: Approval): Approved => ({
  ok: false,
  approvalId: approval?.id,
  kind,
  reason,
  decider: approval?.decider ?? null,
});

/** A text says why no person can be asked. */
function requestOf(question: Question, composed: Composed): ApprovalRequest | string {
  const { frozen, digest } = composed;
  if (frozen.json === undefined) {
    return `It needs a person’s approval, and its arguments cannot be shown exactly: ${frozen.problem}.`;
  }
  const terms = mergeTerms(composed.asking, question.tool);
  if (typeof terms === 'string') return terms;
  return {
    tool: question.tool,
    args: frozen.json,
    digest,
    argsDigest: argsDigest(question.tool, frozen.json),
    callId: question.callKey,
    turnId: question.turnId,
    taskId: question.taskId,
    sessionId: question.sessionId,
    agent: question.caller.agent,
    user: question.user,
    decisionId: question.decisionId,
    ...terms,
  };
}

import type { FrozenValue } from '../call/canonical.js';
import type { Answered, Conclusion } from '../hooks/hook.js';
import type { HookTable } from '../hooks/hook-table.js';
import type { RegisteredHook } from '../hooks/registered-hook.js';
import { tellHook } from '../hooks/run-hook.js';
import type { ApprovalStep, Approved } from './approval-step.js';
import { type Args, type Composed, compose, type Denial, failureText, type Regime } from './compose.js';
import { type GateDecision, reportGate } from './gate-report.js';
import type { Patience } from './patience.js';
import type { Question } from './question.js';
import type { Allowed, Blocked, Verdict } from './verdict.js';

/** One policy’s way with a call: hooks, those who must have written it down, a person where one is needed. */
export class Deliberation {
  readonly #name: string;
  readonly #hooks: HookTable;
  readonly #regime: Regime;
  readonly #asks: 'ask' | 'deny' | 'allow';
  readonly #approval: ApprovalStep;

  /** `asks`: what becomes of a call that needs a person. */
  constructor(name: string, hooks: HookTable, regime: Regime, asks: 'ask' | 'deny' | 'allow', approval: ApprovalStep) {
    this.#name = name;
    this.#hooks = hooks;
    this.#regime = regime;
    this.#asks = asks;
    this.#approval = approval;
  }

  async decide(question: Question, given: FrozenValue<Args>, patience: () => Patience): Promise<Verdict> {
    if (question.signal?.aborted === true && !this.#regime.observeAll)
      return blockedBy(question, { by: '', kind: 'cancelled', reason: failureText('', 'cancelled') });
    const candidates = this.#hooks.candidates('PreToolUse', question.tool);
    if (candidates.length === 0) return unconcerned(question, given);
    const composed = await compose(question, given, candidates, this.#regime);
    let denial = this.#denialOf(composed);
    denial = (await this.#conclude(question, composed, denial)) ?? denial;
    if (denial !== undefined) return blockedBy(question, denial, [...new Set(composed.denials.map(({ by }) => by))]);
    if (composed.asking.length === 0 || this.#asks === 'allow')
      return allowed(question, composed, composed.changedBy, undefined);
    return await this.#approve(question, composed, patience);
  }

  /** What the hooks came to, before anybody is told or asked. */
  conclusion(composed: Composed): Conclusion {
    return conclusionOf(composed, this.#denialOf(composed), this.#asks);
  }

  /** What a rule said counts for more than that one could say nothing. */
  #denialOf(composed: Composed): Denial | undefined {
    const { denials } = composed;
    return denials.find(({ kind }) => kind === 'denied') ?? denials[0] ?? this.#deniedAsk(composed);
  }

  /** In evaluation nobody is asked. */
  #deniedAsk({ asking }: Composed): Denial | undefined {
    const [first] = asking;
    if (first === undefined || this.#asks !== 'deny') return undefined;
    return {
      by: first.hook.name,
      kind: 'denied',
      reason: 'It needs a person’s approval, and nobody is asked during an evaluation.',
    };
  }

  async #conclude(question: Question, composed: Composed, denial: Denial | undefined): Promise<Denial | undefined> {
    if (!composed.concerned.some(({ concluded }) => concluded !== undefined)) return undefined;
    const conclusion = conclusionOf(composed, denial, this.#asks);
    const failed = await this.#tell(question, composed, ({ concluded }) =>
      concluded === undefined ? undefined : () => concluded(composed.context, conclusion),
    );
    if (denial !== undefined || failed === undefined) return undefined;
    // Some were told that a person is asked, and nobody will be.
    if (conclusion.outcome === 'ask') await this.#tellAnswer(question, composed, { ok: false, ...NOBODY, ...failed });
    return failed;
  }

  async #approve(question: Question, composed: Composed, patience: () => Patience): Promise<Verdict> {
    const began = performance.now();
    const approved = await this.#approval.decide(question, composed, patience);
    const asked = composed.asking.map(({ hook }) => hook.name);
    this.#reportApproval(question, approved, began);
    const failed = await this.#tellAnswer(question, composed, approved);
    if (!approved.ok) {
      return { ...blockedBy(question, { by: '', ...approved }, asked), approvalId: approved.approvalId };
    }
    if (failed === undefined) return allowed(question, composed, asked, approved.approvalId);
    await this.#approval.takeBack(approved);
    return { ...blockedBy(question, failed), approvalId: approved.approvalId };
  }

  #tellAnswer(question: Question, composed: Composed, approved: Approved): Promise<Denial | undefined> {
    const told = this.#approval.told(approved);
    const withApprover = Object.freeze(told);
    const { approver: _, ...rest } = told;
    const without: Answered = Object.freeze({ ...rest, approver: undefined });
    return this.#tell(question, composed, ({ answered, learnsApprover }) =>
      answered === undefined ? undefined : () => answered(composed.context, learnsApprover ? withApprover : without),
    );
  }

  /** All that are concerned, one after another. What the first of them that has to take note of it, and could not, comes to. */
  async #tell(
    question: Question,
    composed: Composed,
    telling: (hook: RegisteredHook) => (() => void | Promise<void>) | undefined,
  ): Promise<Denial | undefined> {
    let failed: Denial | undefined;
    for (const hook of composed.concerned) {
      const began = performance.now();
      const failure = await tellHook(hook, telling(hook));
      if (failure === undefined) continue;
      const { kind, error } = failure;
      if (kind !== 'cancelled') this.#regime.failures.add({ gate: hook.name, event: 'PreToolUse', kind, error });
      const mode = this.#regime.observeAll ? 'observe' : hook.mode;
      const blocks = hook.onError === 'block' || kind === 'cancelled';
      const reason = failureText(hook.name, kind);
      this.#report(
        question,
        { ...hook, gate: hook.name, outcome: blocks ? 'deny' : 'allow', kind, mode, reason },
        began,
      );
      if (blocks && mode === 'enforce') failed ??= { by: hook.name, kind, reason };
    }
    return failed;
  }

  #reportApproval(question: Question, approved: Approved, began: number): void {
    const { ok, kind } = approved;
    const reason = ok ? approved.comment : approved.reason;
    const gate = `${this.#name}:approval`;
    this.#report(
      question,
      { gate, outcome: ok ? 'allow' : 'deny', kind, mode: 'enforce', onError: 'block', version: undefined, reason },
      began,
    );
  }

  #report(question: Question, decision: Omit<GateDecision, 'durationMs' | 'sideEffects'>, began: number): void {
    reportGate(question, this.#regime.evaluation, {
      ...decision,
      durationMs: performance.now() - began,
      sideEffects: [],
    });
  }
}

/** No request, and nobody who answered one. */
const NOBODY = { approvalId: undefined, decider: null } as const;

export const blockedBy = (
  { decisionId }: Question,
  { kind, reason, by: first }: Denial,
  by: readonly string[] = [],
): Blocked => ({
  decision: 'block',
  decisionId,
  by: by.length > 0 || first === '' ? by : [first],
  approvalId: undefined,
  kind,
  reason,
});

/** No hook is about it: nothing was decided. */
const unconcerned = ({ decisionId }: Question, { value: args }: FrozenValue<Args>): Allowed => ({
  decision: 'allow',
  decisionId,
  by: [],
  approvalId: undefined,
  args,
  digest: '',
});

const allowed = (
  { decisionId }: Question,
  { frozen, digest }: Composed,
  by: readonly string[],
  approvalId: string | undefined,
): Allowed => ({
  decision: 'allow',
  decisionId,
  by,
  approvalId,
  args: frozen.value,
  digest,
});

function conclusionOf(
  { asking, denials, changedBy }: Composed,
  denial: Denial | undefined,
  asks: 'ask' | 'deny' | 'allow',
): Conclusion {
  if (denial !== undefined) {
    const by = denials.length === 0 ? [denial.by] : [...new Set(denials.map((one) => one.by))];
    return Object.freeze({ outcome: 'deny', kind: denial.kind, reason: denial.reason, by: Object.freeze(by) });
  }
  if (asking.length > 0 && asks === 'ask') {
    return Object.freeze({
      outcome: 'ask',
      kind: undefined,
      reason: undefined,
      by: Object.freeze(asking.map(({ hook }) => hook.name)),
    });
  }
  return Object.freeze({ outcome: 'allow', kind: undefined, reason: undefined, by: Object.freeze([...changedBy]) });
}

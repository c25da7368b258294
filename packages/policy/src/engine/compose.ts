import type { FrozenValue } from '../call/canonical.js';
import { callDigest } from '../call/digest.js';
import type { ApprovalTerms, HookContext } from '../hooks/hook.js';
import type { Candidate } from '../hooks/hook-table.js';
import type { RegisteredHook } from '../hooks/registered-hook.js';
import { type HookOutcome, runHook } from '../hooks/run-hook.js';
import type { Failures } from './failures.js';
import { type GateDecision, reportGate } from './gate-report.js';
import { contextOf, digestedOf, type Question } from './question.js';
import type { BlockKind } from './verdict.js';

export type Args = Readonly<Record<string, unknown>>;

/** How a policy treats all of its hooks. */
export interface Regime {
  readonly observeAll: boolean;
  readonly evaluation: boolean;
  readonly failures: Failures;
}

/** A hook that says no, or could not say yes. */
export interface Denial {
  readonly by: string;
  readonly kind: BlockKind;
  readonly reason: string;
}

/** A hook that wants a person asked. */
export interface Asking {
  readonly hook: RegisteredHook;
  readonly terms: ApprovalTerms;
}

/** What all hooks came to. */
export interface Composed {
  readonly frozen: FrozenValue<Args>;
  /** `''` where the arguments have no exact JSON. */
  readonly digest: string;
  readonly context: HookContext;
  readonly denials: readonly Denial[];
  readonly asking: readonly Asking[];
  /** Hooks that changed the arguments. */
  readonly changedBy: readonly string[];
  /** Hooks whose business the call is, those that observe among them: they are told what it came to. */
  readonly concerned: readonly RegisteredHook[];
}

const MOST_ROUNDS = 8;

/**
 * Modifiers once each, then all rules on the same frozen arguments, anew for as long as one of them changes those. Any order
 * of rules comes to the same: a denial counts in whichever round it is said.
 */
export async function compose(
  question: Question,
  given: FrozenValue<Args>,
  candidates: readonly Candidate[],
  regime: Regime,
): Promise<Composed> {
  const round = new Round(question, given, regime);
  for (const candidate of candidates) {
    if (!candidate.hook.modifies) continue;
    const got = round.ask(candidate);
    if (got instanceof Promise) await got;
  }
  const asked = round.asking;
  for (let n = 0; ; n++) {
    round.begin(asked);
    for (const candidate of candidates) {
      if (candidate.hook.modifies) continue;
      const got = round.ask(candidate);
      if (got instanceof Promise) await got;
    }
    if (round.denials.length > 0 || !round.takeChange()) return round.composed();
    if (n + 1 >= MOST_ROUNDS) {
      const by = round.changedBy.at(-1) ?? '';
      const reason = `The rules do not agree on its arguments: ${by} and others change them again and again.`;
      round.denials.push({ by, kind: 'config_error', reason });
      return round.composed();
    }
  }
}

class Round {
  readonly denials: Denial[] = [];
  asking: Asking[] = [];
  readonly changedBy: string[] = [];
  readonly #concerned = new Set<RegisteredHook>();
  readonly #question: Question;
  readonly #regime: Regime;
  #frozen: FrozenValue<Args>;
  /** Of what rules are asked about; none while it may still be modified. */
  #digest = '';
  #context: HookContext | undefined;
  #inRules = false;
  /** The first change of this round; the others get their turn in the next. */
  #change: { readonly by: string; readonly args: FrozenValue<Args> } | undefined;

  constructor(question: Question, given: FrozenValue<Args>, regime: Regime) {
    this.#question = question;
    this.#frozen = given;
    this.#regime = regime;
  }

  /** A round of rules; `asked` is what modifiers asked for, which stays. */
  begin(asked: readonly Asking[]): void {
    this.#inRules = true;
    this.asking = [...asked];
    this.#change = undefined;
    this.#context = undefined;
    const { json } = this.#frozen;
    this.#digest = json === undefined ? '' : callDigest(digestedOf(this.#question), json);
  }

  /** Takes the round's change; false when there was none. */
  takeChange(): boolean {
    if (this.#change === undefined) return false;
    this.#frozen = this.#change.args;
    this.#context = undefined;
    this.#digest = '';
    if (!this.changedBy.includes(this.#change.by)) this.changedBy.push(this.#change.by);
    return true;
  }

  composed(): Composed {
    const { denials, asking, changedBy } = this;
    const concerned = [...this.#concerned];
    return {
      frozen: this.#frozen,
      digest: this.#digest,
      context: this.#contextNow(),
      denials,
      asking,
      changedBy,
      concerned,
    };
  }

  ask(candidate: Candidate): void | Promise<void> {
    const began = this.#question.sink === undefined ? 0 : performance.now();
    const outcome = runHook(candidate, this.#question.caller, this.#contextNow());
    if (outcome instanceof Promise) return outcome.then((settled) => this.#take(candidate.hook, settled, began));
    this.#take(candidate.hook, outcome, began);
  }

  #contextNow(): HookContext {
    this.#context ??= contextOf(this.#question, this.#regime.evaluation, {
      args: this.#frozen.value,
      digest: this.#digest,
    });
    return this.#context;
  }

  #take(hook: RegisteredHook, outcome: HookOutcome, began: number): void {
    if (outcome.kind === 'unmatched') return;
    const mode = this.#regime.observeAll ? 'observe' : hook.mode;
    const report = (what: Pick<GateDecision, 'outcome' | 'kind' | 'reason'>, sideEffects: readonly string[] = []) =>
      this.#question.sink !== undefined &&
      reportGate(this.#question, this.#regime.evaluation, {
        gate: hook.name,
        ...what,
        mode,
        onError: hook.onError,
        version: hook.version,
        durationMs: performance.now() - began,
        sideEffects,
      });
    if (outcome.kind === 'exempt') {
      report({ outcome: 'skip', kind: 'exempt' });
      return;
    }
    this.#concerned.add(hook);
    const enforced = mode === 'enforce';
    if (outcome.kind !== 'answered') {
      this.#tellFailure(hook, outcome);
      const blocks = hook.onError === 'block' || outcome.kind === 'cancelled';
      const reason = failureText(hook.name, outcome.kind);
      report({ outcome: blocks ? 'deny' : 'allow', kind: outcome.kind, reason });
      if (blocks && enforced) this.denials.push({ by: hook.name, kind: outcome.kind, reason });
      return;
    }
    const { allow, error, ask, modifiedArgs, sideEffects } = outcome.answer;
    const changes = modifiedArgs !== undefined && !isSame(modifiedArgs, this.#frozen);
    if (!allow) {
      report({ outcome: 'deny', kind: 'denied', reason: error }, sideEffects);
      if (enforced)
        this.denials.push({ by: hook.name, kind: 'denied', reason: error ?? `${hook.name} does not allow it.` });
      return;
    }
    if (ask !== undefined) {
      report({ outcome: 'ask', kind: 'asked', reason: ask.title }, sideEffects);
      if (enforced) this.asking.push({ hook, terms: ask });
    }
    if (changes) {
      report({ outcome: 'modify', kind: 'modified' }, ask === undefined ? sideEffects : []);
      if (enforced) this.#modify(hook.name, modifiedArgs);
    } else if (ask === undefined) report({ outcome: 'allow', kind: 'allowed' }, sideEffects);
  }

  #modify(by: string, args: FrozenValue<Args>): void {
    if (this.#inRules) {
      this.#change ??= { by, args };
      return;
    }
    this.#frozen = args;
    this.#context = undefined;
    this.changedBy.push(by);
  }

  #tellFailure({ name: gate, event }: RegisteredHook, outcome: Extract<HookOutcome, { error: unknown }>): void {
    const { kind, error } = outcome;
    if (kind !== 'cancelled') this.#regime.failures.add({ gate, event, kind, error });
  }
}

const isSame = (a: FrozenValue<Args>, b: FrozenValue<Args>): boolean => a.json !== undefined && a.json === b.json;

/** What the model reads of a hook that could not decide. Without the error's text, which may quote what the hook was given. */
export function failureText(gate: string, kind: 'hook_error' | 'hook_timeout' | 'cancelled'): string {
  if (kind === 'cancelled') return 'The question whether it may run was called off.';
  return kind === 'hook_timeout' ? `${gate} did not answer in time.` : `${gate} failed, and could not decide.`;
}

import { frozenCopy } from '../call/canonical.js';
import type { HookContext } from '../hooks/hook.js';
import type { Candidate } from '../hooks/hook-table.js';
import { runHook } from '../hooks/run-hook.js';
import { type Denial, failureText, type Regime } from './compose.js';
import { reportGate } from './gate-report.js';
import { contextOf, type Question } from './question.js';

/** How a call ended. */
export interface CallEnd {
  readonly status: 'ok' | 'error' | 'cancelled' | 'timeout';
  /** Arguments it ran with. */
  readonly args: Readonly<Record<string, unknown>>;
  /** What the model is to get. */
  readonly result?: unknown;
  readonly errorType?: string | undefined;
  readonly durationMs?: number | undefined;
}

/** What the model gets. */
export interface ResultVerdict {
  /** The result, or what a hook put in its place. */
  readonly result: unknown;
  readonly isChanged: boolean;
  /** The result may not be passed on: a hook said so, or could not decide. */
  readonly withheld: Denial | undefined;
  /** Names of the hooks that changed or withheld it. */
  readonly by: readonly string[];
}

/** Asks all hooks for results, in order; each sees what the one before made of it. One that could not decide withholds it. */
export async function screenResult(
  question: Question,
  end: CallEnd,
  candidates: readonly Candidate[],
  regime: Regime,
): Promise<ResultVerdict> {
  let result = end.result;
  let isChanged = false;
  const by: string[] = [];
  let withheld: Denial | undefined;
  for (const candidate of candidates) {
    const { hook } = candidate;
    const began = performance.now();
    const outcome = await runHook(candidate, question.caller, contextFor(question, end, result, regime));
    if (outcome.kind === 'unmatched') continue;
    const mode = regime.observeAll ? 'observe' : hook.mode;
    const report = (
      said: 'allow' | 'deny' | 'modify' | 'skip',
      kind: Parameters<typeof reportGate>[2]['kind'],
      sideEffects: readonly string[] = [],
      reason?: string,
    ) =>
      reportGate(question, regime.evaluation, {
        gate: hook.name,
        outcome: said,
        kind,
        mode,
        onError: hook.onError,
        reason,
        version: hook.version,
        durationMs: performance.now() - began,
        sideEffects,
      });
    if (outcome.kind === 'exempt') {
      report('skip', 'exempt');
      continue;
    }
    if (outcome.kind !== 'answered') {
      const { kind, error } = outcome;
      if (kind !== 'cancelled') regime.failures.add({ gate: hook.name, event: question.event, kind, error });
      const blocks = hook.onError === 'block';
      const reason = failureText(hook.name, kind);
      report(blocks ? 'deny' : 'allow', kind, [], reason);
      if (blocks && mode === 'enforce') withheld ??= { by: hook.name, kind, reason };
      continue;
    }
    const { allow, error, modifiedResult, sideEffects } = outcome.answer;
    if (!allow) {
      report('deny', 'denied', sideEffects, error);
      if (mode === 'enforce') {
        withheld ??= { by: hook.name, kind: 'denied', reason: error ?? `${hook.name} withholds the result.` };
      }
    } else if (modifiedResult === undefined) report('allow', 'allowed', sideEffects);
    else {
      report('modify', 'modified', sideEffects);
      if (mode !== 'enforce') continue;
      result = modifiedResult.value;
      isChanged = true;
      by.push(hook.name);
    }
  }
  if (withheld === undefined) return { result, isChanged, withheld, by };
  return { result: withheld.reason, isChanged: true, withheld, by: [withheld.by] };
}

function contextFor(question: Question, end: CallEnd, result: unknown, { evaluation }: Regime): HookContext {
  return contextOf(question, evaluation, {
    args: end.args,
    digest: '',
    result: frozenResult(result),
    status: end.status,
    errorType: end.errorType,
    durationMs: end.durationMs,
  });
}

/** A result may be anything, a stream among them: what cannot be copied is shown as it is. */
function frozenResult(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return result;
  try {
    return frozenCopy(result).value;
  } catch {
    return result;
  }
}

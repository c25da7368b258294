import { redactText } from '@hermes-observer/core';
import type { Question } from './question.js';
import type { BlockKind } from './verdict.js';

/** What one gate decided, as it is reported. */
export interface GateDecision {
  readonly gate: string;
  readonly outcome: 'allow' | 'deny' | 'ask' | 'modify' | 'skip';
  readonly kind: 'allowed' | 'asked' | 'modified' | 'remembered' | 'exempt' | BlockKind;
  readonly mode: 'enforce' | 'observe';
  readonly onError: 'block' | 'allow';
  readonly version: string | undefined;
  /** Why, in words: the hook's, or with what a person said. Content. */
  readonly reason?: string | undefined;
  readonly durationMs: number;
  readonly sideEffects: readonly string[];
}

/** Characters. */
const LONGEST_REASON = 4_000;

/** Bounded, and without secrets: a hook may quote all of a call. */
const reasonText = (reason: string): string => redactText(reason.slice(0, 4 * LONGEST_REASON)).slice(0, LONGEST_REASON);

/** Reports a gate's decision. Reports decide nothing: a sink that throws is let be. */
export function reportGate(question: Question, evaluation: boolean, decision: GateDecision): void {
  const { sink } = question;
  if (sink === undefined) return;
  const { reason, version, sideEffects } = decision;
  const payload = {
    session_id: question.sessionId,
    task_id: question.taskId,
    turn_id: question.turnId,
    tool_call_id: question.callId,
    gate: decision.gate,
    outcome: decision.outcome,
    kind: decision.kind,
    mode: decision.mode,
    on_error: decision.onError,
    ...(evaluation ? { evaluation } : {}),
    ...(reason === undefined || reason === '' ? {} : { reason: reasonText(reason) }),
    ...(version === undefined ? {} : { version }),
    duration_ms: Math.round(decision.durationMs * 1000) / 1000,
    decision_id: question.decisionId,
    ...(sideEffects.length === 0 ? {} : { side_effects: sideEffects }),
  };
  try {
    sink.report('observer_policy_decision', payload);
  } catch {
    // See above.
  }
}

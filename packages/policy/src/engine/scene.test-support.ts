import type { ToolCall } from '../call/tool-call.js';
import type { HookContext, HookResult, PolicyHook } from '../hooks/hook.js';
import { MemoryApprovals } from './approvals.test-support.js';
import type { PolicyFailure, PolicyOptions } from './options.js';
import { createPolicy, type Policy } from './policy.js';
import type { Verdict } from './verdict.js';

type Answer = HookResult | undefined | ((context: HookContext) => unknown);

/** A rule of PreToolUse; its answer, or what gives it. */
export function rule(name: string, answer: Answer, more: Partial<PolicyHook> = {}): PolicyHook {
  const execute = (typeof answer === 'function' ? answer : () => answer) as PolicyHook['execute'];
  return { name, event: 'PreToolUse', execute, ...more };
}

export const deny = (name: string, more: Partial<PolicyHook> = {}) =>
  rule(name, { allow: false, error: `${name} says no` }, more);
export const allow = (name: string, more: Partial<PolicyHook> = {}) => rule(name, { allow: true }, more);
export const ask = (name: string, terms: HookResult['ask'] = {}, more: Partial<PolicyHook> = {}) =>
  rule(name, { ask: terms }, more);
export const failing = (name: string, more: Partial<PolicyHook> = {}) =>
  rule(
    name,
    () => {
      throw new Error('key sk-secret');
    },
    more,
  );

export const call = (more: Partial<ToolCall> = {}): ToolCall => ({
  tool: 'pay',
  args: { amount: 120, to: 'ACME' },
  callId: 'c1',
  sessionId: 's1',
  turnId: 't1',
  taskId: 'k1',
  ...more,
});

/** A policy whose reports and failures are kept. */
export class PolicyScene {
  readonly policy: Policy;
  readonly approvals: MemoryApprovals;
  readonly reports: { readonly hook: string; readonly payload: Readonly<Record<string, unknown>> }[] = [];
  readonly failures: PolicyFailure[] = [];

  constructor(hooks: readonly PolicyHook[], options: Partial<PolicyOptions> = {}, approvals = new MemoryApprovals()) {
    this.approvals = approvals;
    this.policy = createPolicy({
      hooks,
      approvals,
      report: { report: (hook, payload) => this.reports.push({ hook, payload }) },
      onFailure: (failure) => this.failures.push(failure),
      ...options,
    });
  }

  decide(more: Partial<ToolCall> = {}): Promise<Verdict> {
    return this.policy.decide(call(more));
  }

  /** Gates as reported: name, outcome, kind. */
  gates(): string[] {
    return this.reports
      .filter(({ hook }) => hook === 'observer_policy_decision')
      .map(
        ({ payload }) =>
          `${payload.gate} ${payload.outcome} ${payload.kind}${payload.mode === 'observe' ? ' observe' : ''}`,
      );
  }

  payloads(hook: string): Readonly<Record<string, unknown>>[] {
    return this.reports.filter((report) => report.hook === hook).map(({ payload }) => payload);
  }
}

import { isDeepStrictEqual } from 'node:util';
import { ObserverError } from '@hermes-observer/core';
import { createPolicy, type ToolCall, visibleLine } from '@hermes-observer/policy';
import { openDry, type PolicyPlan } from '@hermes-observer/policy/config';

type Fields = Readonly<Record<string, unknown>>;

export interface Tried {
  /** What a policy that enforces would do. */
  readonly outcome: 'allow' | 'deny' | 'ask';
  readonly kind: string | undefined;
  readonly reason: string | undefined;
  readonly by: readonly string[];
  readonly tool: string;
  readonly args: Fields;
  readonly is_changed: boolean;
  readonly digest: string;
  readonly gates: readonly Fields[];
  /** Hooks that are for other calls. */
  readonly unconcerned: readonly string[];
  /** Scripts that did not take part. */
  readonly left_out: readonly string[];
}

/**
 * What a policy would say of a call. Nobody is asked, the call does not run, and nothing that hooks keep is changed.
 * @throws as `loadPolicy`.
 */
export async function tryCall(plan: PolicyPlan, call: ToolCall, hasScripts: boolean): Promise<Tried> {
  const dry = await openDry(plan, { hasScripts });
  try {
    const { mode, evaluation } = plan.values;
    const policy = createPolicy({
      hooks: dry.hooks,
      name: plan.name,
      ...(mode === undefined ? {} : { mode }),
      ...(evaluation === undefined ? {} : { evaluation: { asks: evaluation } }),
      onFailure: () => undefined,
    });
    const { outcome, kind, reason, by, gates, args, digest } = await policy.explain(call);
    const words = new Map(dry.takeSaid().map((said) => [said.name, said.words]));
    const seen = gates.map((gate) => ({ ...gate, words: words.get(String(gate.gate)) ?? '' }));
    const names = new Set(gates.map(({ gate }) => gate));
    const hooks = plan.hooks.filter(({ event }) => event === 'PreToolUse');
    const leftOut = hasScripts ? [] : hooks.filter(({ kind: one }) => one !== 'use').map(({ name }) => name);
    return {
      ...{ outcome, kind, reason, by, tool: call.tool, args, digest, gates: seen },
      is_changed: !isDeepStrictEqual({ ...args }, { ...call.args }),
      unconcerned: hooks.map(({ name }) => name).filter((name) => !names.has(name) && !leftOut.includes(name)),
      left_out: leftOut,
    };
  } finally {
    await dry.close();
  }
}

export function triedText(tried: Tried): string {
  const width = Math.max(4, ...tried.gates.map(({ gate }) => String(gate).length));
  const lines = tried.gates.map(({ gate, outcome, kind, mode, words }) => {
    const only = mode === 'observe' ? ', only observed' : '';
    const why = words === '' ? '' : `: ${visibleLine(String(words))}`;
    return `  ${visibleLine(String(gate)).padEnd(width)}  ${String(outcome)} (${String(kind)}${only})${why}`;
  });
  if (lines.length === 0) lines.push('  no hook is for this call');
  const verdicts = { allow: 'allowed', deny: 'blocked', ask: 'a person is asked' };
  const by = tried.by.length === 0 ? '' : ` by ${tried.by.join(', ')}`;
  const why = tried.reason === undefined ? '' : `: ${tried.reason}`;
  return [
    visibleLine(tried.tool),
    ...lines,
    visibleLine(`→ ${verdicts[tried.outcome]}${tried.kind === undefined ? '' : ` (${tried.kind})`}${by}${why}`),
    ...(tried.is_changed ? [`  with ${visibleLine(JSON.stringify(tried.args))}`] : []),
    ...(tried.unconcerned.length > 0 ? [`  not for this call: ${tried.unconcerned.map(visibleLine).join(', ')}`] : []),
    ...(tried.left_out.length > 0 ? [`  left out: ${tried.left_out.map(visibleLine).join(', ')}`] : []),
    '',
  ].join('\n');
}

/** A call as flags, as an agent's question, or as the input of a hook of Claude Code or of Hermes Agent say it. @throws ObserverError `HO_OPTION`. */
export function callOf(fields: Fields): ToolCall {
  const tool = textOf(fields.tool ?? fields.tool_name);
  if (tool === '') throw new ObserverError('HO_OPTION', 'the call has no tool: --tool NAME, or tool_name in the JSON');
  const args = fields.args ?? fields.tool_input ?? {};
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new ObserverError('HO_OPTION', 'the arguments of the call must be a JSON object');
  const roles = fields.child_roles ?? [];
  return {
    tool,
    args: args as Record<string, unknown>,
    callId: textOf(fields.tool_call_id ?? fields.tool_use_id) || 'test',
    sessionId: textOf(fields.session_id) || 'test',
    turnId: textOf(fields.turn_id),
    taskId: textOf(fields.task_id),
    agent: textOf(fields.agent),
    platform: textOf(fields.platform),
    user: textOf(fields.user),
    childRoles: Array.isArray(roles) ? roles.map(textOf) : [],
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

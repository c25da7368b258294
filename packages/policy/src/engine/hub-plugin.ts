import type { AskContext, Payload, PluginHub, ToolDirective } from '@hermes-observer/core';
import type { ToolCall } from '../call/tool-call.js';
import type { HubPolicy } from './hub-policy.js';
import { Lineage } from './lineage.js';
import type { ReportSink } from './report.js';
import { RunningCalls } from './running-calls.js';
import type { Verdict } from './verdict.js';

export interface AttachOptions {
  /** Name of the agent that the hub is of, for matchers. @default '' */
  readonly agent?: string | undefined;
  /** Where reports of its calls go. @default the hub's `emit` */
  readonly report?: ReportSink | undefined;
  /**
   * Who asks waits as long as it says, and may ask again, as over a network: when its time is over or its signal aborts, the
   * question stays, and the same call, asked again, gets its answer. @default false: it waits until it aborts, which calls the
   * question off
   */
  readonly mayAskAgain?: boolean | undefined;
}

/**
 * Makes a policy the last that a hub asks about a tool call: it sees what is about to run. Others that are asked behind it
 * may block, and cannot change the arguments any more. It is the first that is asked about a result.
 */
export function attachToHub(policy: HubPolicy, hub: PluginHub, options: AttachOptions): void {
  const { agent = '', mayAskAgain = false } = options;
  const lineage = new Lineage();
  const running = new RunningCalls(policy);
  const report: ReportSink = options.report ?? { report: (hook, payload) => hub.emit(hook, payload) };
  const name = policy.name;

  const callOf = (payload: Payload): { call: ToolCall; wrapped: boolean; parentSessions: readonly string[] } => {
    const sessionId = textOf(payload.session_id);
    const taskId = textOf(payload.task_id);
    const { parentSessions, ...standing } = lineage.standing(sessionId, taskId);
    const { args } = payload;
    const wrapped = typeof args !== 'object' || args === null || Array.isArray(args);
    const call: ToolCall = {
      tool: textOf(payload.tool_name),
      // Hooks look at objects. What is none, or a list, stands in one.
      args: args === undefined || args === null ? {} : wrapped ? { args } : (args as ToolCall['args']),
      callId: textOf(payload.tool_call_id),
      turnId: textOf(payload.turn_id),
      sessionId,
      taskId,
      agent,
      ...standing,
    };
    return { call, wrapped, parentSessions };
  };

  const decide = async (payload: Payload, { signal, timeoutMs }: AskContext): Promise<ToolDirective | undefined> => {
    if (!policy.concerns(textOf(payload.tool_name), 'PreToolUse')) return undefined;
    lineage.asked(payload);
    const { call, wrapped, parentSessions } = callOf(payload);
    const waits = mayAskAgain ? { deadlineMs: timeoutMs, leave: signal } : { signal };
    const verdict = await policy.decide(call, { ...waits, report, parentSessions });
    if (policy.isObserving) return undefined;
    if (verdict.decision === 'block') return { action: 'block', message: verdict.reason, kind: verdict.kind };
    running.allowed(call, verdict);
    return directiveOf(verdict.args, wrapped, payload.args);
  };

  hub.on('pre_tool_call', (payload) => running.begun(callOf(payload).call), { name });
  hub.respond('pre_tool_call', decide, {
    name,
    priority: Number.POSITIVE_INFINITY,
    timeoutMs: Number.POSITIVE_INFINITY,
  });
  hub.respond('transform_tool_result', (payload) => running.transformed(callOf(payload).call, payload, report), {
    name,
    priority: Number.NEGATIVE_INFINITY,
    timeoutMs: Number.POSITIVE_INFINITY,
  });
  hub.on('post_tool_call', (payload) => running.ended(callOf(payload).call, payload, report), { name });
  hub.on('subagent_start', (payload) => lineage.started(payload), { name });
  hub.on('subagent_stop', (payload) => lineage.stopped(payload), { name });
  hub.on('pre_llm_call', (payload, meta) => lineage.turnStarted(payload, meta.profile), { name });
  hub.on(
    'on_session_start',
    (payload, meta) => {
      lineage.turnStarted(payload, meta.profile);
      const sessionId = textOf(payload.session_id);
      const { parentSessions: _above, ...standing } = lineage.standing(sessionId, '');
      return policy.sessionStart({ sessionId, agent, ...standing }, { report });
    },
    { name },
  );
}

/** Exactly these arguments: whatever happens to the caller's own, these are what was decided about. */
function directiveOf(
  args: Extract<Verdict, { decision: 'allow' }>['args'],
  wrapped: boolean,
  asked: unknown,
): ToolDirective | undefined {
  if (!wrapped) return { action: 'modify', args, exact: true };
  const inner = Object.keys(args).length === 1 && Object.hasOwn(args, 'args') ? args.args : undefined;
  // A list may be changed by its owner; a text or a number cannot.
  if (Array.isArray(inner)) return { action: 'modify', args: inner as never, exact: true };
  const isUnchanged = asked === undefined || asked === null ? Object.keys(args).length === 0 : inner === asked;
  return isUnchanged ? undefined : { action: 'modify', args, exact: true };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

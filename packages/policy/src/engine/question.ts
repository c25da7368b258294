import { randomUUID } from 'node:crypto';
import { frozenCopy, UnreadableError } from '../call/canonical.js';
import type { DigestedCall } from '../call/digest.js';
import type { ToolCall } from '../call/tool-call.js';
import type { Caller } from '../hooks/compile-matcher.js';
import type { HookContext, HookEvent } from '../hooks/hook.js';
import type { ReportSink } from './report.js';

/** One call's way through a policy: who asks, read once, and where reports of it go. */
export interface Question {
  readonly event: HookEvent;
  readonly decisionId: string;
  readonly tool: string;
  readonly callId: string;
  /** The call's id, or one made up for a call that has none: two of those are never the same. */
  readonly callKey: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly taskId: string;
  readonly caller: Caller;
  readonly profile: string;
  readonly user: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
  readonly sink: ReportSink | undefined;
}

const NOTHING: Readonly<Record<string, never>> = Object.freeze({});

/** What a call says of itself. Throws where reading it does. */
export function questionOf(
  event: HookEvent,
  call: Omit<ToolCall, 'args'>,
  signal: AbortSignal | undefined,
  sink: ReportSink | undefined,
): Question {
  const { childRoles, metadata } = call;
  const named = (field: Name) => nameOf(call[field], field);
  const callId = named('callId');
  return {
    event,
    decisionId: randomUUID(),
    tool: named('tool'),
    callId,
    callKey: callId === '' ? `unnamed_${randomUUID()}` : callId,
    sessionId: named('sessionId'),
    turnId: named('turnId'),
    taskId: named('taskId'),
    caller: {
      agent: named('agent'),
      platform: named('platform'),
      childRoles:
        childRoles === undefined
          ? undefined
          : Object.freeze(Array.from(childRoles, (role) => nameOf(role, 'childRoles'))),
    },
    profile: named('profile'),
    user: named('user'),
    metadata: metadata === undefined ? NOTHING : frozenCopy(metadata, 'metadata').value,
    signal,
    sink,
  };
}

/** What the digest of a question's call is of. */
export const digestedOf = ({ tool, caller, sessionId, callKey }: Question): DigestedCall => ({
  tool,
  agent: caller.agent,
  sessionId,
  callId: callKey,
});

type Name = 'tool' | 'callId' | 'sessionId' | 'turnId' | 'taskId' | 'agent' | 'platform' | 'profile' | 'user';

/** Names and ids are kept, for as long as there is something to say of the call: in memory, in stores and logs. */
export const LONGEST_NAME = 4096;

function nameOf(value: unknown, field: string): string {
  if (typeof value !== 'string') return '';
  if (value.length > LONGEST_NAME) throw new UnreadableError(`\`${field}\` has more than ${LONGEST_NAME} characters`);
  return value;
}

type Varying = Pick<HookContext, 'args' | 'digest'> &
  Partial<Pick<HookContext, 'result' | 'status' | 'errorType' | 'durationMs'>>;

const NO_ROLES: readonly string[] = Object.freeze([]);

export function contextOf(question: Question, evaluation: boolean, varying: Varying): HookContext {
  const { caller } = question;
  // One literal: to spread into it would cost more than all the rest.
  return Object.freeze({
    event: question.event,
    tool: question.tool,
    args: varying.args,
    callId: question.callId,
    sessionId: question.sessionId,
    turnId: question.turnId,
    taskId: question.taskId,
    agent: caller.agent,
    childRoles: caller.childRoles ?? NO_ROLES,
    platform: caller.platform,
    profile: question.profile,
    user: question.user,
    metadata: question.metadata,
    decisionId: question.decisionId,
    digest: varying.digest,
    result: varying.result,
    status: varying.status,
    errorType: varying.errorType,
    durationMs: varying.durationMs,
    signal: question.signal,
    evaluation,
  });
}

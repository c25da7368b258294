import { type AdapterApproval, checkCallback } from '@hermes-observer/adapter';
import { inUse } from './in-use.js';
import { refuse } from './run-tool.js';

/** A question to a person. */
export interface ApprovalInfo {
  /** The call it is about. @default the one it is asked in */
  readonly callId?: string | undefined;
  /** Name of its tool. @default that of the call it is asked in */
  readonly name?: string | undefined;
  /** Who is asked. @default 'program' */
  readonly surface?: string | undefined;
  /** Content: what is to be run. */
  readonly command?: string | undefined;
}

/** What people answer; `pending` where the turn ends before they do. Any other word is one as well. */
export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny' | 'pending' | (string & {});

const ALLOWS: ReadonlySet<string> = new Set(['once', 'session', 'always', 'smart_approve', 'pending']);

/**
 * Asks a person by calling `ask` at once; what it gives is the choice. A tool in which a choice did not allow it has status
 * `blocked`, whatever it gives then. Outside of a turn it is `ask` alone.
 *
 * @throws ObserverError `HO_OPTION` without `info` or `ask`.
 */
export async function withApproval<T extends ApprovalChoice>(
  info: ApprovalInfo,
  ask: () => T | PromiseLike<T>,
): Promise<T> {
  checkCallback('withApproval', info, ask);
  const watcher = inUse();
  const scope = watcher?.scopes.getStore();
  if (watcher === undefined || scope === undefined || scope.turn.isEnded) return await ask();
  const { guard } = watcher;
  const { turn, tool } = scope;
  const question: AdapterApproval = {
    toolCallId: info.callId ?? tool?.callId ?? '',
    toolName: info.name ?? tool?.name ?? '',
    surface: info.surface ?? 'program',
    command: info.command,
  };
  const answered = (choice: string, ...thrown: [] | [unknown]) =>
    guard.safely(() => {
      turn.answered(question, choice);
      if (tool !== undefined && tool.callId === question.toolCallId && !ALLOWS.has(choice)) refuse(tool, ...thrown);
    });
  guard.safely(() => turn.asked(question));
  let choice: T;
  try {
    choice = await ask();
  } catch (error) {
    answered('notify_failed', error);
    throw error;
  }
  answered(choice);
  return choice;
}

import { ActiveSpan, enclosingTool } from './active-span.js';
import { failureOf } from './failure.js';
import { settle } from './settle.js';
import type { TurnState } from './turn-state.js';

/** A question to a person, or to a program in their place. */
export interface ApprovalInfo {
  /** The rule that asks. */
  readonly patternKey: string;
  /** What is to be run. Content. */
  readonly command?: string;
  /** What the rule calls it. Content. */
  readonly description?: string;
  /** Who is asked, such as `cli` or `slack`. @default 'in_process' */
  readonly surface?: string;
  /** The call that waits. @default the one this is asked in */
  readonly toolCallId?: string;
  /** Stops the wait. The turn's signal counts as well. */
  readonly signal?: AbortSignal;
}

/** Asks by calling `fn`; what it returns is the choice. One that throws leaves `cancelled` or `notify_failed`. */
export function runApproval<T extends string>(
  turn: TurnState,
  info: ApprovalInfo,
  fn: () => T | PromiseLike<T>,
): Promise<T> {
  const toolCallId = info.toolCallId ?? enclosingTool(turn);
  const question = {
    ...turn.ids(),
    tool_call_id: toolCallId ?? '',
    surface: info.surface ?? 'in_process',
    pattern_key: info.patternKey,
    pattern_keys: [info.patternKey],
    session_key: turn.sessionId,
    command: info.command,
    description: info.description,
  };
  turn.emit('pre_approval_request', () => question);
  const answered = (choice: unknown) => turn.emit('post_approval_response', () => ({ ...question, choice }));
  const signal = turn.signalWith(info.signal);
  return settle<T>(
    new ActiveSpan(turn, { toolCallId }),
    fn,
    (choice) => {
      answered(typeof choice === 'string' ? choice : undefined);
      return choice;
    },
    (error) => answered(failureOf(error, signal).aborted ? 'cancelled' : 'notify_failed'),
  );
}

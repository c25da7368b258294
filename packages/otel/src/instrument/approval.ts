import { ActiveSpan, enclosingTool } from './active-span.js';
import { readFields } from './read-fields.js';
import { settle } from './settle.js';
import type { TurnState } from './turn-state.js';

/** A question to a person, or to a program in their place. */
export interface ApprovalInfo {
  /** The rule that asks. */
  readonly patternKey: string;
  /** What is to be run. Content. */
  readonly command?: string | undefined;
  /** What the rule calls it. Content. */
  readonly description?: string | undefined;
  /** Who is asked, such as `cli` or `slack`. @default 'in_process' */
  readonly surface?: string | undefined;
  /** The call that waits. @default the one this is asked in */
  readonly toolCallId?: string | undefined;
  /** Stops the wait. The turn's signal counts as well. */
  readonly signal?: AbortSignal | undefined;
}

const FIELDS = [
  'patternKey',
  'command',
  'description',
  'surface',
  'toolCallId',
  'signal',
] as const satisfies readonly (keyof ApprovalInfo)[];

/** Asks by calling `fn`; what it returns is the choice. One that throws leaves `cancelled` or `notify_failed`. `askedIn` is the call it is asked in. */
export function runApproval<T extends string>(
  turn: TurnState,
  info: ApprovalInfo,
  fn: () => T | PromiseLike<T>,
  askedIn = enclosingTool(turn),
): Promise<T> {
  const {
    patternKey,
    command,
    description,
    surface = 'in_process',
    toolCallId = askedIn,
    signal: own,
  } = readFields(info, FIELDS);
  const question = {
    ...turn.ids(),
    tool_call_id: toolCallId ?? '',
    surface,
    pattern_key: patternKey,
    pattern_keys: [patternKey],
    session_key: turn.sessionId,
    command,
    description,
  };
  turn.emit('pre_approval_request', () => question);
  const answered = (choice: unknown) => turn.emit('post_approval_response', () => ({ ...question, choice }));
  const signal = turn.signalWith(own);
  return settle<T>(
    new ActiveSpan(turn, { toolCallId }),
    fn,
    (choice) => {
      answered(typeof choice === 'string' ? choice : undefined);
      return choice;
    },
    (error) => answered(turn.failureOf(error, signal).aborted ? 'cancelled' : 'notify_failed'),
  );
}

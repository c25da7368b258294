import type { TraceContext } from '@hermes-observer/core';
import { readFields } from './read-fields.js';

/** What a turn is. All of it is optional. */
export interface TurnInfo {
  /**
   * The conversation: turns of one session are linked. At most 16 turns of a session run at once, unless
   * `limits.maxOpenTurnsPerSession` says more. @default a random one, of this turn alone
   */
  readonly sessionId?: string | undefined;
  /** The piece of work that the turn belongs to. @default the session's id */
  readonly taskId?: string | undefined;
  /** What the user said: text, or a list of content parts. Content. */
  readonly userMessage?: string | readonly unknown[] | undefined;
  /** Default of the model of the turn's requests, too. */
  readonly model?: string | undefined;
  /** Default of the provider of the turn's requests, such as `openai`. Not on the turn's span. */
  readonly provider?: string | undefined;
  /** Where the turn came from, such as `cli` or `slack`. */
  readonly platform?: string | undefined;
  /** The session has no history yet. */
  readonly isFirstTurn?: boolean | undefined;
  /** Session that started this one. Not for subagents: `turn.subagent` knows it. */
  readonly parentSessionId?: string | undefined;
  /** The user, as the platform names them. */
  readonly senderId?: string | undefined;
  /** W3C headers of the caller. @default the span that is active when the turn starts */
  readonly traceContext?: TraceContext | undefined;
  /** Agent profile, where a program runs several. */
  readonly profile?: string | undefined;
  /** Stops the turn. The turn's requests, tools and subagents have it as well. */
  readonly signal?: AbortSignal | undefined;
}

const FIELDS = [
  'sessionId',
  'taskId',
  'userMessage',
  'model',
  'provider',
  'platform',
  'isFirstTurn',
  'parentSessionId',
  'senderId',
  'traceContext',
  'profile',
  'signal',
] as const satisfies readonly (keyof TurnInfo)[];

export const readTurnInfo = (info: TurnInfo): TurnInfo => readFields(info, FIELDS);

import { failureOf } from '@hermes-observer/core';
import { ActiveSpan } from './active-span.js';
import { follow } from './follow.js';
import { settle } from './settle.js';
import type { StreamOutcome } from './stream-watch.js';
import { StreamedAnswer } from './streamed-answer.js';
import type { TurnState } from './turn-state.js';

/** How a turn ended. */
export interface TurnEnd {
  readonly outcome: 'completed' | 'failed' | 'interrupted';
  readonly error: unknown;
  /** Its answer, as far as it is text. */
  readonly answer: string | undefined;
}

/** Runs a turn's function between the hooks of its start and its end. `ended` is told last. */
export function runTurn<T>(turn: TurnState, fn: () => T | PromiseLike<T>, ended: (end: TurnEnd) => void): Promise<T> {
  begin(turn);
  const place = new ActiveSpan(turn);
  const end = (outcome: TurnEnd['outcome'], error: unknown) => {
    finish(turn, outcome, error);
    ended({ outcome, error, answer: turn.answer });
  };
  const failed = (error: unknown) => end(turn.failureOf(error, turn.signal).aborted ? 'interrupted' : 'failed', error);
  return settle<T>(
    place,
    fn,
    (value) => {
      const stream = followAnswer(turn, value, place, (outcome, error) => {
        if (outcome === 'failed') failed(error);
        else end(outcome === 'left' || turn.signal?.aborted === true ? 'interrupted' : 'completed', undefined);
      });
      if (stream !== undefined) return stream;
      if (typeof value === 'string') turn.answer ??= value;
      end(turn.signal?.aborted === true ? 'interrupted' : 'completed', undefined);
      return value;
    },
    failed,
  );
}

/** A turn whose value is a stream ends when that does. Text in it is the answer. */
function followAnswer<T>(
  turn: TurnState,
  value: T,
  place: ActiveSpan,
  ended: (outcome: StreamOutcome, error: unknown) => void,
): T | undefined {
  const streamed = new StreamedAnswer();
  const listener = {
    chunk: (chunk: unknown) => streamed.add(chunk),
    ended: (outcome: StreamOutcome, error: unknown) => {
      turn.answer ??= streamed.text || undefined;
      ended(outcome, error);
    },
  };
  return follow(value, place, listener, turn.signal)?.stream;
}

function begin(turn: TurnState): void {
  const { info } = turn;
  turn.emitFirst('pre_llm_call', () => ({
    ...turn.ids(),
    user_message: info.userMessage,
    is_first_turn: info.isFirstTurn,
    model: info.model,
    platform: info.platform,
    parent_session_id: info.parentSessionId,
    sender_id: info.senderId,
  }));
}

function finish(turn: TurnState, outcome: TurnEnd['outcome'], error: unknown): void {
  const { model, platform, userMessage } = turn.info;
  turn.closeUnfinished();
  const fields = { ...turn.ids(), model, platform };
  if (outcome === 'completed') {
    turn.emit('post_llm_call', () => ({ ...fields, user_message: userMessage, assistant_response: turn.answer }));
  }
  turn.emit('on_session_end', () => ({
    ...fields,
    completed: outcome === 'completed',
    failed: outcome === 'failed',
    interrupted: outcome === 'interrupted',
    turn_exit_reason: exitReason(turn, outcome, error),
    ...(outcome === 'failed' ? { error_message: failureOf(error, undefined).message } : {}),
  }));
}

/** A failed turn's reason is the class of its error: assembly makes it `error.type`. */
function exitReason(turn: TurnState, outcome: TurnEnd['outcome'], error: unknown): string {
  if (outcome === 'failed') return failureOf(error, undefined).type;
  if (outcome === 'interrupted')
    return turn.finishReason === 'cancelled' ? 'interrupted_during_api_call' : 'interrupted';
  if (turn.answer === undefined) return 'completed';
  return turn.finishReason === undefined ? 'text_response' : `text_response(finish_reason=${turn.finishReason})`;
}

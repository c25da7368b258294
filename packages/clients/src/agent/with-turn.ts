import { AdapterTurn, checkCallback, type SessionInfo, withSession } from '@hermes-observer/adapter';
import { fieldsOf } from '../answer/fields.js';
import { openCalls } from '../client/open-calls.js';
import { followIteration } from './followed-iteration.js';
import { inUse } from './in-use.js';

/** A turn of an agent. All of it is optional. */
export interface TurnInfo extends SessionInfo {
  /** Of a turn its profile, of one inside the tool of another its role. */
  readonly agentName?: string | undefined;
  /** Content. */
  readonly userMessage?: string | readonly unknown[] | undefined;
  readonly model?: string | undefined;
  /** A turn that ends while this is aborted was interrupted. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `fn` at once as one turn of an agent: what it asks of clients are requests of this turn, and `withTool` makes its
 * tools. Inside the tool of another turn it is a subagent. The turn ends with what `fn` gives; where that is a stream or an
 * async generator, when it was read. Gives what `fn` gives, and throws what it throws. While nobody watches a client it is `fn` alone.
 *
 * @throws ObserverError `HO_OPTION` without `info` or `fn`.
 */
export async function withTurn<T>(info: TurnInfo, fn: () => T | PromiseLike<T>): Promise<Awaited<T>> {
  checkCallback('withTurn', info, fn);
  const watcher = inUse();
  if (watcher === undefined) return await fn();
  const { host, guard, scopes } = watcher;
  const { sessionId, senderId, platform, agentName, userMessage, model, signal } = info;
  const scope = scopes.getStore();
  const parent = scope?.turn.isEnded === false ? scope.turn : undefined;
  const turn = guard.safely(() =>
    withSession(
      known({ sessionId, senderId, platform }),
      () => new AdapterTurn(host, guard, { sessionId, agentName, userMessage, model }, parent, scope?.tool?.callId),
    ),
  );
  if (turn === undefined) return await fn();
  const end = (error: unknown, answer?: string, isLeft = false) =>
    turn.end({ error, answer, isInterrupted: isLeft || signal?.aborted === true });
  try {
    const value = await scopes.run({ turn }, async () => await fn());
    const ended = (last: unknown, isLeft = false) =>
      end(undefined, typeof last === 'string' ? last : openCalls.lastAnswer(turn), isLeft);
    const isFollowed = guard.safely(() => {
      const listener = {
        done: (last: unknown) => void guard.safely(() => ended(last)),
        left: () => void guard.safely(() => ended(undefined, true)),
        failed: (error: unknown) => void guard.safely(() => end(error)),
      };
      if (!followIteration(value, (next) => scopes.run({ turn }, next), listener))
        whenRead(turn, value, (isLeft) => ended(value, isLeft));
      return true;
    });
    if (isFollowed !== true) guard.safely(() => ended(undefined));
    return value;
  } catch (error) {
    guard.safely(() => end(error));
    throw error;
  }
}

const known = (info: SessionInfo): SessionInfo =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined));

/** Calls `told` at once, or where `value` is a stream, when that has ended: with whether it was left half way. */
function whenRead(turn: AdapterTurn, value: unknown, told: (isLeft: boolean) => void): void {
  if (typeof value !== 'object' || value === null || !(Symbol.asyncIterator in value)) {
    told(false);
    return;
  }
  const end = () => told(turn.finishReason === 'cancelled');
  const { on, ended } = fieldsOf(value);
  // The helper streams of the clients begin their requests later.
  if (typeof on === 'function' && ended === false) on.call(value, 'end', end);
  else openCalls.whenNone(turn, end);
}

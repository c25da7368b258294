import { type AdapterHost, AdapterTurn, type AdapterTurnInfo, type Guard, type Scope } from '@hermes-observer/adapter';

/**
 * The turn that what is asked in `around` makes for itself: outside of turns, and in the code of a tool, which is not the agent
 * that called it. There it is a child. `undefined` where it is a part of the turn around it.
 */
export function turnOfOwn(
  { host, guard }: { readonly host: AdapterHost; readonly guard: Guard },
  around: Scope | undefined,
  info: AdapterTurnInfo,
): AdapterTurn | undefined {
  if (around === undefined || around.turn.isEnded) return new AdapterTurn(host, guard, info);
  const { turn, tool } = around;
  if (tool === undefined) return undefined;
  return new AdapterTurn(host, guard, info, turn, tool.callId);
}

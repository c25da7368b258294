import type { AdapterTurn } from '@hermes-observer/adapter';

interface Calls {
  open: number;
  /** Text of the last answer. */
  answer: string | undefined;
  whenNone: (() => void) | undefined;
}

const byTurn = new WeakMap<AdapterTurn, Calls>();

const callsOf = (turn: AdapterTurn): Calls => {
  const known = byTurn.get(turn);
  if (known !== undefined) return known;
  const calls: Calls = { open: 0, answer: undefined, whenNone: undefined };
  byTurn.set(turn, calls);
  return calls;
};

/** Calls of clients that a turn has under way: one that gives a stream ends with it. */
export const openCalls = {
  add(turn: AdapterTurn): void {
    callsOf(turn).open++;
  },

  remove(turn: AdapterTurn, answer: string | undefined): void {
    const calls = callsOf(turn);
    calls.answer = answer ?? calls.answer;
    if (--calls.open > 0) return;
    const { whenNone } = calls;
    calls.whenNone = undefined;
    whenNone?.();
  },

  lastAnswer: (turn: AdapterTurn): string | undefined => byTurn.get(turn)?.answer,

  /** Calls `fn` once none is under way: at once, if so. */
  whenNone(turn: AdapterTurn, fn: () => void): void {
    const calls = callsOf(turn);
    if (calls.open === 0) fn();
    else calls.whenNone = fn;
  },
};

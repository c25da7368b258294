import type { HrTime } from '@hermes-observer/core';
import { Fifo } from './fifo.js';
import type { Invocation } from './invocation.js';
import type { HumanInputNode } from './span-node.js';

/** What is known of one session across its turns. */
export class Session {
  readonly id: string;
  /** The user turn that last joined this session, open or closed: what the next turn links to. */
  lastUserTurn: Invocation | undefined = undefined;
  /** A turn of its own was seen, so it is no child agent. */
  hadTurns = false;
  /** Turns of every kind that carried this session and are open, oldest first. */
  readonly open: Invocation[] = [];
  openApprovals = 0;
  lastApprovalEnd: HrTime | undefined = undefined;
  /** Questions about an approval that no approval has covered yet. */
  readonly held = new Set<HumanInputNode>();
  /** Used since the bound on sessions last looked at it. */
  active = true;

  constructor(id: string) {
    this.id = id;
  }

  /** The user turn that a record naming only the session belongs to: the newest running one, else the last one. */
  currentTurn(): Invocation | undefined {
    return this.runningTurn(undefined) ?? this.lastUserTurn;
  }

  /** The newest user turn that is open and not superseded; one of the same producer first. */
  runningTurn(producer: string | undefined): Invocation | undefined {
    let other: Invocation | undefined;
    for (let i = this.open.length - 1; i >= 0; i--) {
      const turn = this.open[i];
      if (turn === undefined || turn.turnKind !== 'user' || turn.waits === 'next_turn') continue;
      if (producer === undefined || turn.producer === producer) return turn;
      other ??= turn;
    }
    return other;
  }
}

/** Sessions by id, bounded: the longest unused ones without open turns are forgotten. */
export class SessionIndex {
  readonly #sessions = new Map<string, Session>();
  /** Those of `#sessions`, in the order in which the bound looks at them. */
  readonly #inOrder = new Fifo<Session>();
  readonly #max: number;
  forgotten = 0;

  constructor(max: number) {
    this.#max = max;
  }

  find(id: string | undefined): Session | undefined {
    if (id === undefined) return undefined;
    const session = this.#sessions.get(id);
    if (session !== undefined) session.active = true;
    return session;
  }

  get(id: string): Session {
    let session = this.find(id);
    if (session === undefined) {
      session = new Session(id);
      this.#sessions.set(id, session);
      this.#inOrder.push(session);
      if (this.#sessions.size > this.#max) this.#forgetOne();
    }
    return session;
  }

  /** Second chance: a session used since the last look goes to the back, once. A bounded number of looks a call. */
  #forgetOne(): void {
    for (let looks = 1; looks <= 16; looks++) {
      const session = this.#inOrder.shift();
      if (session === undefined) return;
      if (session.open.length === 0 && (!session.active || looks >= 8)) {
        this.#sessions.delete(session.id);
        this.forgotten++;
        return;
      }
      session.active = false;
      this.#inOrder.push(session);
    }
  }

  /** The longest unused ones first, as far as that is known. */
  all(): readonly Session[] {
    return this.#inOrder.items();
  }

  get size(): number {
    return this.#sessions.size;
  }
}

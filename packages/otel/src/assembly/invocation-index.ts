import { type HrTime, millisBetween } from '@hermes-observer/core';
import { Fifo } from './fifo.js';
import { type Invocation, MOST_TURNS_OF_CHILD } from './invocation.js';
import type { AssemblyLimits } from './limits.js';

interface TaskTurns {
  readonly open: Invocation[];
  last: Invocation;
}

/** Which turn or child a turn id, a child's session, or a task stands for; open ones and, for a while, closed ones. */
export class InvocationIndex {
  readonly #byTurn = new Map<string, Invocation>();
  readonly #childBySession = new Map<string, Invocation>();
  readonly #childByTask = new Map<string, Invocation>();
  readonly #byTask = new Map<string, TaskTurns>();
  readonly #closed = new Set<Invocation>();
  /** Those of `#closed`, in order. */
  readonly #closedInOrder = new Fifo<Invocation>();
  /** Closed ones by producer, oldest first: each producer has a clock of its own. */
  readonly #closedByProducer = new Map<string, Fifo<Invocation>>();
  readonly #limits: AssemblyLimits;
  #lastTurnId: string | undefined = undefined;
  #lastTurn: Invocation | undefined = undefined;
  /** Closed ones that were let go of before their time. */
  forgotten = 0;

  constructor(limits: AssemblyLimits) {
    this.#limits = limits;
  }

  byTurn(turnId: string | undefined): Invocation | undefined {
    if (turnId === undefined) return undefined;
    // Most records belong to the turn of the one before.
    if (turnId === this.#lastTurnId) return this.#lastTurn;
    const invocation = this.#byTurn.get(turnId);
    if (invocation !== undefined) {
      this.#lastTurnId = turnId;
      this.#lastTurn = invocation;
    }
    return invocation;
  }

  addTurn(turnId: string, invocation: Invocation): void {
    this.#lastTurnId = undefined;
    this.#byTurn.set(turnId, invocation);
    const { turnIds } = invocation;
    const oldest = turnIds.length < MOST_TURNS_OF_CHILD ? undefined : turnIds[0];
    invocation.turnIds = oldest === undefined ? [...turnIds, turnId] : [...turnIds.slice(1), turnId];
    if (oldest !== undefined && this.#byTurn.get(oldest) === invocation) this.#byTurn.delete(oldest);
  }

  child(session: string | undefined, task: string | undefined): Invocation | undefined {
    if (this.#childBySession.size === 0 && this.#childByTask.size === 0) return undefined;
    return (
      (session === undefined ? undefined : this.#childBySession.get(session)) ??
      (task === undefined ? undefined : this.#childByTask.get(task))
    );
  }

  addChild(session: string | undefined, task: string | undefined, invocation: Invocation): void {
    if (session !== undefined) this.#childBySession.set(session, invocation);
    if (task !== undefined) this.#childByTask.set(task, invocation);
  }

  /** Notes the task a turn works on; several turns may share one. */
  addTask(task: string, turn: Invocation): void {
    const known = this.#byTask.get(task);
    if (known === undefined) this.#byTask.set(task, { open: [turn], last: turn });
    else {
      known.open.push(turn);
      known.last = turn;
    }
  }

  /** The turn a record belongs to that names only a task: one that is running code, else an open one, else the last. */
  byTask(task: string, runsCode: (turn: Invocation) => boolean): Invocation | undefined {
    const known = this.#byTask.get(task);
    if (known === undefined) return undefined;
    for (let i = known.open.length - 1; i >= 0; i--) {
      const turn = known.open[i];
      if (turn !== undefined && runsCode(turn)) return turn;
    }
    return known.open[known.open.length - 1] ?? known.last;
  }

  /** True when a closed invocation may still take records of this time. */
  takesLate(invocation: Invocation, time: HrTime): boolean {
    const closedAt = invocation.closedAt;
    if (closedAt === undefined) return true;
    return !invocation.expired && millisBetween(closedAt, time) <= this.#limits.lateWindowMillis;
  }

  /** Closed ones that are known, the longest closed one first. */
  get closed(): readonly Invocation[] {
    return this.#closedInOrder.items().filter((invocation) => this.#closed.has(invocation));
  }

  /** Takes in one that was closed long ago: its ids are known, and late records of it make nothing. What is known already stays. */
  restore(invocation: Invocation): void {
    this.#lastTurnId = undefined;
    const { turnIds, kind, node, task } = invocation;
    for (const turnId of turnIds) if (!this.#byTurn.has(turnId)) this.#byTurn.set(turnId, invocation);
    if (kind === 'child' && node?.kind === 'child') {
      const session = invocation.sessions[0];
      const { agentId } = node;
      if (session !== undefined && !this.#childBySession.has(session)) this.#childBySession.set(session, invocation);
      if (agentId !== undefined && !this.#childByTask.has(agentId)) this.#childByTask.set(agentId, invocation);
    } else if (task !== undefined) {
      const known = this.#byTask.get(task);
      if (known === undefined) this.#byTask.set(task, { open: [], last: invocation });
      else if (known.open.length === 0) known.last = invocation;
    }
    this.#closed.add(invocation);
    this.#closedInOrder.push(invocation);
  }

  /** Keeps a closed invocation for late records, and lets go of the oldest ones. */
  retire(invocation: Invocation, time: HrTime): void {
    if (invocation.task !== undefined) {
      const turns = this.#byTask.get(invocation.task);
      const at = turns?.open.indexOf(invocation) ?? -1;
      if (at >= 0) turns?.open.splice(at, 1);
    }
    invocation.release();
    this.#closed.add(invocation);
    this.#closedInOrder.push(invocation);
    let queue = this.#closedByProducer.get(invocation.producer);
    if (queue === undefined) {
      queue = new Fifo();
      this.#closedByProducer.set(invocation.producer, queue);
    }
    queue.push(invocation);
    // At most two a call keeps the work a record bounded, and outpaces what one call adds.
    for (let i = 0; i < 2; i++) {
      const oldest = queue.first();
      if (oldest === undefined || this.takesLate(oldest, time)) break;
      oldest.expire();
      queue.shift();
    }
    if (queue.size === 0) this.#closedByProducer.delete(invocation.producer);
    if (this.#closed.size <= this.#limits.maxClosedTurns) return;
    const oldest = this.#closedInOrder.shift();
    if (oldest !== undefined) this.#forget(oldest);
  }

  #forget(invocation: Invocation): void {
    this.forgotten++;
    this.#lastTurnId = undefined;
    invocation.expire();
    this.#closed.delete(invocation);
    const queue = this.#closedByProducer.get(invocation.producer);
    if (queue?.first() === invocation) queue.shift();
    if (queue?.size === 0) this.#closedByProducer.delete(invocation.producer);
    for (const turnId of invocation.turnIds) {
      if (this.#byTurn.get(turnId) === invocation) this.#byTurn.delete(turnId);
    }
    const { node, task, kind } = invocation;
    if (kind === 'child' && node?.kind === 'child') {
      if (this.#childBySession.get(invocation.id) === invocation) this.#childBySession.delete(invocation.id);
      if (node.agentId !== undefined && this.#childByTask.get(node.agentId) === invocation) {
        this.#childByTask.delete(node.agentId);
      }
    } else if (task !== undefined) {
      const turns = this.#byTask.get(task);
      if (turns?.open.length === 0 && !this.#closed.has(turns.last)) this.#byTask.delete(task);
    }
  }

  /** Everything kept, open or closed. */
  get size(): number {
    return this.#byTurn.size + this.#childBySession.size + this.#byTask.size;
  }
}

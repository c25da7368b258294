import { type AdapterHost, AdapterTurn, type AdapterTurnEnd, BoundedMap, type Guard } from '@hermes-observer/adapter';
import { type HrTime, newId, now } from '@hermes-observer/core';
import { type Fields, textOf } from '../sdk/fields.js';
import { AgentLoop } from './loop.js';
import type { RunInfo } from './run-info.js';
import type { ToolCall } from './tool-call.js';

const MOST_CHILDREN = 1_000;

/** A subagent, and the call that it works for. */
export interface Subagent {
  readonly loop: AgentLoop;
  readonly call: ToolCall | undefined;
  /** Its end is known, and waits for what its call gives. */
  stopped?: { readonly at: HrTime; readonly text: string | undefined } | undefined;
}

/** Subagents of a query, found by their ids or by the ids of their calls. */
export class Subagents {
  readonly #host: AdapterHost;
  readonly #guard: Guard;
  readonly #info: RunInfo;
  readonly #known = new BoundedMap<string, Subagent>(MOST_CHILDREN);
  readonly #running = new Set<Subagent>();

  constructor(host: AdapterHost, guard: Guard, info: RunInfo) {
    this.#host = host;
    this.#guard = guard;
    this.#info = info;
  }

  get(id: string): Subagent | undefined {
    return this.#known.get(id);
  }

  isRunning(child: Subagent): boolean {
    return this.#running.has(child);
  }

  /** A copy: they may end while it is gone through. */
  running(): Subagent[] {
    return [...this.#running];
  }

  /** Open calls of subagents that no subagent works for yet. */
  free(open: Iterable<ToolCall>, role: string | undefined): ToolCall[] {
    const taken = new Set(this.running().map(({ call }) => call));
    return [...open].filter(
      (call) =>
        /^(Agent|Task)$/.test(call.name) &&
        (role === undefined || (textOf(call.input.subagent_type) ?? role) === role) &&
        !taken.has(call),
    );
  }

  /** A subagent of this id works for `call`; one that is known already is given as it is, unless it was called anew. */
  start(
    agentId: string,
    call: ToolCall | undefined,
    role: string | undefined,
    parent: AgentLoop,
    sessionId: string | undefined,
  ): Subagent {
    const known = this.#known.get(agentId);
    if (known !== undefined && (this.#running.has(known) || call === undefined || known.call === call)) return known;
    call?.start();
    const { provider, hasMessages, agentModels } = this.#info;
    const set = role === undefined ? undefined : agentModels[role];
    const model = set === undefined || set === 'inherit' ? undefined : set;
    const info = {
      turnId: newId(`${agentId}:`),
      sessionId: `${sessionId}:${agentId}`,
      agentName: role,
      userMessage: textOf(call?.input.prompt),
      model,
    };
    const turn = new AdapterTurn(this.#host, this.#guard, info, parent.turn, call?.id);
    const child: Subagent = { loop: new AgentLoop(turn, provider, model ?? parent.model, hasMessages), call };
    this.#known.set(agentId, child);
    if (call !== undefined) this.#known.set(call.id, child);
    this.#running.add(child);
    child.loop.waits();
    return child;
  }

  stops(agentId: string | undefined, text: string | undefined): void {
    const child = agentId === undefined ? undefined : this.#known.get(agentId);
    if (child === undefined || !this.#running.has(child)) return;
    child.stopped = { at: now(), text };
    // What a call gives that waits for it has the tokens of the last answer.
    if (child.call === undefined || child.call.isEnded) this.end(child, {});
  }

  /** `usage`: of its last request. */
  end(child: Subagent, end: AdapterTurnEnd, usage?: Fields): void {
    if (!this.#running.delete(child)) return;
    const { at, text } = child.stopped ?? {};
    const hasUsage = usage !== undefined && usage.output_tokens !== undefined;
    if (end.isInterrupted !== true) child.loop.ends({ text, at, ...(hasUsage ? { usage } : {}) });
    const { failure } = child.loop;
    child.loop.turn.end(failure === undefined ? { answer: text, ...end } : { error: failure });
  }
}

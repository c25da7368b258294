import type { Payload } from '@hermes-observer/core';
import { LONGEST_NAME } from './question.js';

/** Children that are remembered once they have ended, and all of them: the oldest are forgotten first. */
const MOST_ENDED = 10_000;
const MOST_CHILDREN = 100_000;
/** A chain of children is followed so far. */
const DEEPEST = 64;

interface Child {
  /** `''`: not known. */
  readonly role: string;
  readonly parentSession: string;
  readonly parentAgent: string;
  /** Where it stands by its agent id; `''`: nowhere. */
  readonly agentKey: string;
}

/** What the records of one session say of who is at work in it. */
export interface SessionFacts {
  readonly platform: string;
  readonly user: string;
  readonly profile: string;
}

/** Where a call stands: in a child or not, for whom, and on which platform the work was begun. */
export interface Standing extends SessionFacts {
  /** `undefined`: not known. */
  readonly childRoles: readonly string[] | undefined;
  /** Sessions above, innermost first. */
  readonly parentSessions: readonly string[];
}

const NO_FACTS: SessionFacts = { platform: '', user: '', profile: '' };

/** Which agent is whose child, as `subagent_start` and `pre_llm_call` tell. */
export class Lineage {
  /** By session and by agent id: some children are known by one alone. */
  readonly #children = new Map<string, Child>();
  readonly #ended = new Set<string>();
  readonly #facts = new Map<string, SessionFacts>();
  /** Children that may still be at work were forgotten: whoever is not known may be one of them. */
  #hasForgotten = false;

  started(payload: Payload): void {
    const session = textOf(payload.child_session_id);
    const child: Child = {
      role: textOf(payload.child_role),
      parentSession: textOf(payload.parent_session_id),
      parentAgent: textOf(payload.parent_subagent_id),
      agentKey: byAgent(textOf(payload.child_subagent_id)),
    };
    for (const key of [bySession(session), child.agentKey]) {
      if (key === '') continue;
      this.#children.set(key, child);
      this.#ended.delete(key);
    }
    this.#hasForgotten ||= trim(this.#children, MOST_CHILDREN);
  }

  /**
   * What a question says of the child whose call it is: it may be here before the record of its start. Records say more, and
   * go on counting.
   */
  asked(payload: Payload): void {
    const { child_session_id: session, child_subagent_id: agent, child_roles: roles } = payload;
    if (textOf(session) === '' && textOf(agent) === '') return;
    if (this.#children.has(bySession(textOf(session))) || this.#children.has(byAgent(textOf(agent)))) return;
    this.started({ ...payload, child_role: Array.isArray(roles) ? roles[0] : undefined });
  }

  /** It may still call tools: that it is a child is not forgotten at once. */
  stopped(payload: Payload): void {
    const key = bySession(textOf(payload.child_session_id)) || byAgent(textOf(payload.child_subagent_id));
    if (!this.#children.has(key)) return;
    this.#ended.add(key);
    if (this.#ended.size <= MOST_ENDED) return;
    const [oldest] = this.#ended;
    if (oldest === undefined) return;
    this.#ended.delete(oldest);
    const child = this.#children.get(oldest);
    this.#children.delete(oldest);
    if (child !== undefined && this.#children.get(child.agentKey) === child) this.#children.delete(child.agentKey);
  }

  turnStarted(payload: Payload, profile: string | undefined): void {
    const session = textOf(payload.session_id);
    if (session === '') return;
    const before = this.#facts.get(session) ?? NO_FACTS;
    this.#facts.delete(session);
    this.#facts.set(session, {
      platform: textOf(payload.platform) || before.platform,
      user: textOf(payload.sender_id) || before.user,
      profile: profile ?? before.profile,
    });
    trim(this.#facts, MOST_CHILDREN);
  }

  /** A child works for whom its parent works, on the platform where that was begun: not on one named `subagent`. */
  standing(session: string, task: string): Standing {
    const childRoles: string[] = [];
    const parentSessions: string[] = [];
    let root = session;
    let child = this.#children.get(bySession(session)) ?? this.#children.get(byAgent(task));
    while (child !== undefined && childRoles.length < DEEPEST) {
      childRoles.push(child.role);
      root = child.parentSession;
      if (root !== '') parentSessions.push(root);
      child = this.#children.get(byAgent(child.parentAgent)) ?? this.#children.get(bySession(root));
    }
    const own = this.#facts.get(session) ?? NO_FACTS;
    const first = this.#facts.get(root) ?? (childRoles.length === 0 ? own : NO_FACTS);
    const isKnown = childRoles.length > 0 || !this.#hasForgotten;
    return {
      childRoles: isKnown ? childRoles : undefined,
      parentSessions,
      platform: first.platform,
      user: first.user,
      profile: own.profile || first.profile,
    };
  }
}

/** Calls with longer names are blocked. */
const textOf = (value: unknown): string => (typeof value === 'string' && value.length <= LONGEST_NAME ? value : '');
const bySession = (id: string): string => (id === '' ? '' : `session ${id}`);
const byAgent = (id: string): string => (id === '' ? '' : `agent ${id}`);

/** Whether any had to go. */
function trim(map: Map<string, unknown>, most: number): boolean {
  const isFull = map.size > most;
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
  return isFull;
}

import { failureOf, idOf, newId } from '@hermes-observer/core';
import { readFields } from './read-fields.js';
import type { TurnEnd } from './turn-run.js';
import { TurnState } from './turn-state.js';

/** An agent that works for this one. */
export interface SubagentInfo {
  /** Names its span: `invoke_agent {role}`. */
  readonly role?: string | undefined;
  /** What it is to do. Content. */
  readonly goal?: string | undefined;
  /** Its session; one of its own, never used before. @default a random one */
  readonly sessionId?: string | undefined;
  /** Unique in the process. @default a random one */
  readonly agentId?: string | undefined;
  /** Default of the model of its requests. */
  readonly model?: string | undefined;
  /** @default the parent's */
  readonly provider?: string | undefined;
  /** Stops it. The parent's signal counts as well. */
  readonly signal?: AbortSignal | undefined;
}

const FIELDS = [
  'role',
  'goal',
  'sessionId',
  'agentId',
  'model',
  'provider',
  'signal',
] as const satisfies readonly (keyof SubagentInfo)[];

/** A child and the hooks around it. */
export class SubagentRun {
  readonly child: TurnState;
  readonly #parent: TurnState;
  readonly #role: string;
  readonly #started = performance.now();

  /** The child is built. `toolCallId` names the parent's call it works for. */
  constructor(parent: TurnState, info: SubagentInfo, toolCallId: string | undefined) {
    this.#parent = parent;
    const {
      role,
      goal,
      sessionId,
      agentId,
      model,
      provider = parent.info.provider,
      signal: own,
    } = readFields(info, FIELDS);
    this.#role = role ?? '';
    const signal = parent.signalWith(own);
    this.child = new TurnState(
      parent.host,
      {
        sessionId: idOf(sessionId) ?? newId('session_'),
        platform: 'subagent',
        parentSessionId: parent.sessionId,
        isFirstTurn: true,
        ...(goal === undefined ? {} : { userMessage: goal }),
        ...(model === undefined ? {} : { model }),
        ...(provider === undefined ? {} : { provider }),
        ...(signal === undefined ? {} : { signal }),
      },
      idOf(agentId) ?? newId('sa-'),
      undefined,
      parent,
    );
    parent.emit('subagent_start', () => ({
      ...this.#fields(),
      parent_tool_call_id: toolCallId,
      child_goal: goal,
    }));
  }

  ended({ outcome, error, answer }: TurnEnd): void {
    this.#parent.emit('subagent_stop', () => ({
      ...this.#fields(),
      child_status: outcome,
      child_summary: answer ?? null,
      duration_ms: Math.round(performance.now() - this.#started),
      ...(outcome === 'failed' ? { error_message: failureOf(error, undefined).message } : {}),
    }));
  }

  #fields() {
    const parent = this.#parent;
    return {
      parent_session_id: parent.sessionId,
      parent_turn_id: parent.turnId,
      parent_subagent_id: parent.agentId ?? null,
      child_session_id: this.child.sessionId,
      child_subagent_id: this.child.agentId,
      child_role: this.#role,
    };
  }
}

import type { EmitMeta, HrTime, Payload, TraceContext } from '@hermes-observer/core';
import { idOf, newId } from '@hermes-observer/core';
import { failureIn } from '../failure.js';
import type { Guard } from '../guard.js';
import type { AdapterHost } from '../host.js';
import { currentSession } from '../session.js';
import { hold } from './content.js';
import { AdapterRequest, type AdapterRequestInfo } from './request.js';
import { turnOfOther } from './scope.js';
import { AdapterTool, type AdapterToolInfo } from './tool.js';

/** A run of an agent. All of it is optional. */
export interface AdapterTurnInfo {
  /** Unique in all processes: the framework's own id of the run, where it has a random one. @default a random one */
  readonly turnId?: string | undefined;
  /** @default that of `withSession`, else a random one of this turn alone */
  readonly sessionId?: string | undefined;
  /** Of a turn its profile, of a subagent its role. @default of a subagent the model */
  readonly agentName?: string | undefined;
  /** Content. */
  readonly userMessage?: string | readonly unknown[] | undefined;
  readonly model?: string | undefined;
}

/** How a turn ended. */
export interface AdapterTurnEnd {
  /** What was thrown, if something was. An abort makes an interrupted turn, anything else a failed one. */
  readonly error?: unknown;
  /** Content. */
  readonly answer?: string | undefined;
  readonly isInterrupted?: boolean | undefined;
}

/** A question to a person about a tool call. */
export interface AdapterApproval {
  readonly toolCallId: string;
  readonly toolName: string;
  /** Who is asked: the framework's name, unless it knows better. */
  readonly surface: string;
  /** The framework's own id of the question, if it has one. */
  readonly requestId?: string | undefined;
  /** Content: what is to be run. */
  readonly command?: string | undefined;
}

/** Open calls and requests of one turn; over it the oldest are forgotten here, and ended by assembly. */
const MOST_OPEN = 1_000;

/**
 * One run of an agent as records. Each method emits, and nothing is emitted after the end. Payloads are made a moment later:
 * they read only what does not change.
 */
export class AdapterTurn {
  readonly host: AdapterHost;
  readonly guard: Guard;
  readonly parent: AdapterTurn | undefined;
  readonly turnId: string;
  readonly sessionId: string;
  readonly taskId: string;
  /** Of a subagent: its id. */
  readonly agentId: string | undefined;
  readonly model: string | undefined;
  readonly platform: string | undefined;
  /** For the adapter that tells of it: what belongs to it there. */
  owner: object | undefined = undefined;
  finishReason: string | undefined = undefined;
  isEnded = false;
  /** What a turn keeps is no content: many may never end. */
  readonly #agentName: string | undefined;
  readonly #parentCallId: string | undefined;
  readonly #tools = new Map<string, AdapterTool>();
  readonly #open = new Set<AdapterRequest>();
  readonly #started = performance.now();
  readonly #meta: EmitMeta | undefined;
  readonly #caller: TraceContext | undefined;
  #requests = 0;
  #lastRequest: AdapterRequest | undefined = undefined;
  /** A question was left open since the last request. */
  #isWaiting = false;

  /** The turn starts. `parent` is the turn that this one works for, `parentCallId` the call in it. */
  constructor(host: AdapterHost, guard: Guard, info: AdapterTurnInfo, parent?: AdapterTurn, parentCallId?: string) {
    this.host = host;
    this.guard = guard;
    this.parent = parent;
    this.#agentName = info.agentName ?? (parent === undefined ? undefined : info.model);
    this.#parentCallId = parentCallId;
    const { value: userMessage, isLive } = hold(info.userMessage);
    const session = currentSession();
    const own = idOf(info.sessionId) ?? (parent === undefined ? idOf(session.sessionId) : undefined);
    // The session of a child is its own: that of its parent would make it a turn of the same conversation.
    this.sessionId = own === undefined || own === parent?.sessionId ? newId('session_') : own;
    this.agentId = parent === undefined ? undefined : newId('sa-');
    this.taskId = this.agentId ?? this.sessionId;
    this.turnId = idOf(info.turnId) ?? newId(`${this.sessionId}:`);
    this.model = info.model;
    this.platform = parent === undefined ? session.platform : 'subagent';
    this.#meta = parent === undefined && info.agentName !== undefined ? { profile: info.agentName } : undefined;
    // Where another observer hears of this run as well, its spans are not what called it.
    this.#caller =
      parent === undefined ? guard.safely(() => rootOf(turnOfOther(host))?.caller ?? host.traceContext()) : undefined;
    const caller = this.#caller;
    if (parent !== undefined) this.#startChild(parent, parentCallId, userMessage);
    this.#emit(
      'pre_llm_call',
      () => ({
        session_id: this.sessionId,
        task_id: this.taskId,
        turn_id: this.turnId,
        user_message: userMessage as AdapterTurnInfo['userMessage'],
        model: this.model,
        platform: this.platform,
        sender_id: parent === undefined ? session.senderId : undefined,
        parent_session_id: parent?.sessionId,
      }),
      caller?.traceparent === undefined ? this.#meta : { ...this.#meta, traceContext: caller },
    );
    if (isLive) this.#deliver();
  }

  /** What the program ran in when this turn began, unless that is another turn of ours. */
  get caller(): TraceContext {
    return this.#caller ?? {};
  }

  ids() {
    return { session_id: this.sessionId, task_id: this.taskId, turn_id: this.turnId };
  }

  /**
   * @param isLive what the payload reads may change: it is made before the agent goes on
   * @param time when it happened @default now
   */
  emit(hook: string, payload: () => Payload, isLive = false, time?: HrTime): void {
    if (this.isEnded) return;
    this.#emit(hook, payload, this.#meta, time);
    if (isLive) this.#deliver();
  }

  /** A request to a model begins. */
  request(info: AdapterRequestInfo): AdapterRequest {
    const request = new AdapterRequest(this, info, ++this.#requests, this.#open.size > 0);
    this.#open.add(request);
    if (this.#open.size > MOST_OPEN) this.#open.delete(this.#open.values().next().value as AdapterRequest);
    this.#lastRequest = request;
    this.#isWaiting = false;
    return request;
  }

  requestEnded(request: AdapterRequest): void {
    this.#open.delete(request);
  }

  /** A tool call begins; one that is open with this id already, as it waited for an answer, is that one. */
  tool(info: AdapterToolInfo): AdapterTool {
    const callId = idOf(info.callId) ?? newId('call_');
    const known = this.#tools.get(callId);
    if (known !== undefined) return known;
    const tool = new AdapterTool(this, info, callId, info.requestId ?? this.#lastRequest?.id);
    this.#tools.set(callId, tool);
    if (this.#tools.size > MOST_OPEN) this.#tools.delete(this.#tools.keys().next().value as string);
    return tool;
  }

  toolEnded(tool: AdapterTool): void {
    this.#tools.delete(tool.callId);
  }

  /** The question is asked. */
  asked(approval: AdapterApproval): void {
    const question = this.#question(approval);
    this.emit('pre_approval_request', () => question);
  }

  /** It is answered: `once`, `session`, `always`, `deny`; `pending` where the turn ends before it is. */
  answered(approval: AdapterApproval, choice: string): void {
    if (choice === 'pending') this.#isWaiting = true;
    const answered = { ...this.#question(approval), choice };
    this.emit('post_approval_response', () => answered);
  }

  /** The turn ends, and what is open in it. */
  end({ error, answer, isInterrupted = false }: AdapterTurnEnd = {}): void {
    if (this.isEnded) return;
    const lastFailure = this.#lastRequest?.failure;
    const failure = error === undefined ? lastFailure : failureIn(error);
    const isAborted = isInterrupted || failure?.aborted === true;
    const outcome = isAborted ? 'interrupted' : failure === undefined ? 'completed' : 'failed';
    for (const request of [...this.#open]) {
      if (isAborted && !request.hasFailed) request.cancelled();
      else request.close();
    }
    for (const tool of [...this.#tools.values()]) if (isAborted) tool.end({ status: 'cancelled' });
    const { sessionId: session_id, taskId: task_id, turnId: turn_id, model, platform } = this;
    if (outcome === 'completed') {
      this.emit('post_llm_call', () => ({
        session_id,
        task_id,
        turn_id,
        model,
        platform,
        assistant_response: answer,
      }));
    }
    const turn_exit_reason = this.#exitReason(outcome, failure?.type, answer);
    this.emit('on_session_end', () => ({
      session_id,
      task_id,
      turn_id,
      model,
      platform,
      completed: outcome === 'completed',
      failed: outcome === 'failed',
      interrupted: outcome === 'interrupted',
      turn_exit_reason,
      error_message: outcome === 'failed' ? failure?.message : undefined,
    }));
    this.#endChild(outcome, answer, failure?.message);
    if (outcome === 'completed' && this.parent !== undefined) this.parent.#childCompleted(this);
    this.isEnded = true;
    this.#tools.clear();
    this.#open.clear();
  }

  #exitReason(outcome: string, failureType: string | undefined, answer: string | undefined): string {
    if (outcome === 'failed') return failureType ?? '_OTHER';
    if (outcome === 'interrupted')
      return this.finishReason === 'cancelled' ? 'interrupted_during_api_call' : 'interrupted';
    if (this.#isWaiting) return 'waiting_for_approval';
    if (answer === undefined) return 'completed';
    return this.finishReason === undefined ? 'text_response' : `text_response(finish_reason=${this.finishReason})`;
  }

  #startChild(parent: AdapterTurn, parentCallId: string | undefined, goal: unknown): void {
    parent.emit('subagent_start', () => ({
      ...this.#childFields(parent),
      parent_tool_call_id: parentCallId,
      child_goal: typeof goal === 'string' ? goal : undefined,
    }));
  }

  #endChild(outcome: string, answer: string | undefined, message: string | undefined): void {
    const { parent } = this;
    if (parent === undefined) return;
    const duration_ms = Math.round(performance.now() - this.#started);
    this.#emit('subagent_stop', () => ({
      ...this.#childFields(parent),
      child_status: outcome,
      child_summary: answer ?? null,
      duration_ms,
      ...(outcome === 'failed' ? { error_message: message } : {}),
    }));
  }

  /** A question of a child keeps its parent waiting; the answer of one that was handed over to is its parent's. */
  #childCompleted(child: AdapterTurn): void {
    if (child.#isWaiting) this.#isWaiting = true;
    if (child.#parentCallId === undefined) this.finishReason = child.finishReason ?? this.finishReason;
  }

  #childFields(parent: AdapterTurn) {
    return {
      parent_session_id: parent.sessionId,
      parent_turn_id: parent.turnId,
      parent_subagent_id: parent.agentId ?? null,
      child_session_id: this.sessionId,
      child_subagent_id: this.agentId,
      child_role: this.#agentName ?? '',
    };
  }

  #question({ toolCallId, toolName, surface, requestId, command }: AdapterApproval) {
    return {
      ...this.ids(),
      tool_call_id: toolCallId,
      surface,
      pattern_key: toolName,
      pattern_keys: [toolName],
      session_key: this.sessionId,
      command,
      ...(requestId === undefined ? {} : { request_id: requestId }),
    };
  }

  #deliver(): void {
    try {
      this.host.hub.deliverWaiting();
    } catch (error) {
      this.guard.note(error);
    }
  }

  #emit(hook: string, payload: () => Payload, meta = this.#meta, time?: HrTime): void {
    try {
      this.host.hub.emitLater(hook, payload, meta, time);
    } catch (error) {
      this.guard.note(error);
    }
  }
}

function rootOf(turn: AdapterTurn | undefined): AdapterTurn | undefined {
  let root = turn;
  while (root?.parent !== undefined) root = root.parent;
  return root;
}

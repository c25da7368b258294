import {
  type AdapterHost,
  type AdapterToolEnd,
  AdapterTurn,
  type AdapterTurnEnd,
  BoundedMap,
  type Guard,
  type Scope,
} from '@hermes-observer/adapter';
import { newId } from '@hermes-observer/core';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from '../sdk/fields.js';
import { AgentLoop } from './loop.js';
import type { RunInfo } from './run-info.js';
import { type Subagent, Subagents } from './subagents.js';
import { ToolCall } from './tool-call.js';

const MOST_CALLS = 10_000;

/** One `query`, turn after turn, of what hooks and messages tell. */
export class ClaudeRun {
  readonly #host: AdapterHost;
  readonly #guard: Guard;
  readonly #info: RunInfo;
  readonly #calls = new BoundedMap<string, ToolCall>(MOST_CALLS);
  /** Calls the model asked for, of which nothing else was heard yet. */
  readonly #wanted = new BoundedMap<string, Fields>(MOST_CALLS);
  readonly #open = new Set<ToolCall>();
  readonly #children: Subagents;
  #main: AgentLoop | undefined = undefined;
  #sessionId: string | undefined = undefined;
  #model: string | undefined;
  #hasPrompt = true;
  #isInterrupted = false;
  #isOver = false;
  #atEnd: (() => void) | undefined = undefined;

  constructor(host: AdapterHost, guard: Guard, info: RunInfo) {
    this.#host = host;
    this.#guard = guard;
    this.#info = info;
    this.#model = info.model;
    this.#children = new Subagents(host, guard, info);
  }

  /** `left` is called when no more comes. */
  atEnd(left: () => void): void {
    if (this.#isOver) left();
    else this.#atEnd = left;
  }

  /** The scope of a call's code. */
  scopeOf(callId: unknown): Scope | undefined {
    const call = this.#calls.get(String(callId));
    if (call === undefined || call.isEnded) return undefined;
    return { turn: call.loop.turn, tool: call.start() };
  }

  hook(event: Fields): void {
    if (this.#isOver) return;
    this.#sessionId ??= textOf(event.session_id);
    const agentId = textOf(event.agent_id);
    switch (event.hook_event_name) {
      case 'UserPromptSubmit':
        this.#turn(textOf(event.prompt), textOf(event.prompt_id)).waits();
        return;
      case 'PreToolUse':
        this.#called(event, agentId);
        return;
      case 'PostToolUse':
        this.#ran(event);
        return;
      case 'PostToolUseFailure':
        this.#ended(event, failureOf(event));
        return;
      case 'PostToolBatch':
        this.#batch(event, agentId);
        return;
      case 'SubagentStart':
        this.#childStarts(agentId, textOf(event.agent_type), !this.#info.hasMessages);
        return;
      case 'SubagentStop':
        this.#children.stops(agentId, textOf(event.last_assistant_message));
        return;
      case 'PreCompact':
        this.#compacts('pre_auxiliary_call');
        return;
      case 'PostCompact':
        this.#compacts('post_auxiliary_call');
        return;
      case 'Stop':
        if (!this.#info.hasMessages) this.#endTurn({ answer: textOf(event.last_assistant_message) });
        return;
      case 'StopFailure':
        if (!this.#info.hasMessages) this.#endTurn({ error: { name: textOf(event.error) ?? 'unknown' } });
        return;
      case 'SessionEnd':
        if (!this.#info.hasMessages) this.ended();
        return;
    }
  }

  message(given: unknown): void {
    if (this.#isOver) return;
    const message = fieldsOf(given);
    const parent = textOf(message.parent_tool_use_id);
    switch (message.type) {
      case 'stream_event':
        this.#loopOf(parent)?.event(fieldsOf(message.event));
        return;
      case 'assistant':
        this.#assistant(message, parent);
        return;
      case 'user':
        this.#results(message);
        return;
      case 'system':
        this.#system(message);
        return;
      case 'result':
        this.#result(message);
        return;
    }
  }

  /** Somebody is asked about a call. */
  asked(callId: unknown, name: string, input: unknown, agentId: unknown, requestId: unknown): ToolCall | undefined {
    if (this.#isOver) return undefined;
    const call = this.#callOf(textOf(callId), name, input, this.#agent(textOf(agentId)));
    call?.asked(textOf(requestId));
    return call;
  }

  /** A hook of the program decided on a call: `allow`, `deny`, `ask`, `defer`, or nothing. */
  decided(callId: unknown, decision: string | undefined): void {
    const call = this.#calls.get(String(callId));
    if (call === undefined || decision === 'defer') return;
    call.start();
  }

  /** The program interrupts the turn. */
  interrupts(): void {
    this.#isInterrupted = true;
  }

  /** The program ends it all: by a signal, or since it reads no further. */
  aborted(): void {
    this.#endTurn({ isInterrupted: true });
    this.ended();
  }

  /** No more comes. */
  ended(error?: unknown): void {
    if (this.#isOver) return;
    if (error !== undefined) this.#endTurn({ error });
    else this.#endTurn({ isInterrupted: true });
    for (const child of this.#children.running()) this.#children.end(child, { isInterrupted: true });
    this.#isOver = true;
    this.#atEnd?.();
    this.#atEnd = undefined;
  }

  #turn(prompt?: string, promptId?: string): AgentLoop {
    if (this.#main !== undefined) return this.#main;
    const { around, agentName, provider, inContext } = this.#info;
    const first = this.#hasPrompt ? this.#info.prompt : undefined;
    this.#hasPrompt = false;
    this.#isInterrupted = false;
    const info = {
      turnId: newId(`${promptId ?? this.#sessionId ?? 'turn'}:`),
      sessionId: this.#sessionId,
      agentName,
      userMessage: prompt ?? first,
      model: this.#model,
    };
    const parent = around?.turn.isEnded === false ? around.turn : undefined;
    const turn = inContext(() => new AdapterTurn(this.#host, this.#guard, info, parent, around?.tool?.callId));
    this.#main = new AgentLoop(turn, provider, this.#model, this.#info.hasMessages);
    return this.#main;
  }

  /** The loop of an event: of a subagent's id, else the main one. */
  #agent(agentId: string | undefined): AgentLoop {
    if (agentId === undefined) return this.#turn();
    return (this.#children.get(agentId) ?? this.#childStarts(agentId, undefined, true))?.loop ?? this.#turn();
  }

  /** The loop of a message: of the call a subagent works for, else the main one. */
  #loopOf(parent: string | undefined): AgentLoop | undefined {
    return parent === undefined ? this.#turn() : this.#children.get(parent)?.loop;
  }

  #system(message: Fields): void {
    switch (message.subtype) {
      case 'init':
        this.#sessionId = textOf(message.session_id) ?? this.#sessionId;
        this.#model = textOf(message.model) ?? this.#model;
        this.#turn().model = this.#model;
        return;
      case 'status':
        if (message.status === 'requesting') this.#turn().requests();
        return;
      case 'api_retry':
        this.#whoAsks()?.retries(message);
        return;
      case 'task_started': {
        const id = textOf(message.task_id);
        const callId = textOf(message.tool_use_id);
        const call = callId === undefined ? undefined : this.#calls.get(callId);
        if (message.task_type === 'local_agent' && id !== undefined && call !== undefined)
          this.#child(id, call, textOf(message.subagent_type));
        return;
      }
      case 'task_notification': {
        const child = this.#children.get(String(message.task_id));
        if (child === undefined) return;
        const { status } = message;
        // What its call gives follows, and has its tokens.
        if (status === 'completed' && child.call?.isEnded === false) return;
        if (status === 'failed') this.#children.end(child, { error: { name: 'task_failed' } });
        else this.#children.end(child, { isInterrupted: status === 'stopped' && child.stopped === undefined });
        return;
      }
      case 'permission_denied': {
        const call = this.#callOf(
          textOf(message.tool_use_id),
          textOf(message.tool_name) ?? 'unknown',
          undefined,
          this.#agent(textOf(message.agent_id)),
        );
        call?.start();
        return;
      }
    }
  }

  /** The agent whose request is tried again is not told: the main one, unless it waits for nothing. */
  #whoAsks(): AgentLoop | undefined {
    if (this.#main?.isWaiting === true) return this.#main;
    for (const { loop } of this.#children.running()) if (loop.isWaiting) return loop;
    return this.#main;
  }

  #assistant(message: Fields, parent: string | undefined): void {
    const loop = this.#loopOf(parent);
    if (loop === undefined) return;
    for (const block of listOf(fieldsOf(message.message).content).map(fieldsOf)) {
      const id = textOf(block.id);
      if (block.type === 'tool_use' && id !== undefined) this.#wanted.set(id, { ...block, parent });
    }
    loop.assistant(message);
  }

  /** Results of calls. Those that ran were told of by hooks before. */
  #results(message: Fields): void {
    const metas = listOf(message.tool_result_meta).map(fieldsOf);
    for (const block of listOf(fieldsOf(message.message).content).map(fieldsOf)) {
      const id = textOf(block.tool_use_id);
      if (block.type !== 'tool_result' || id === undefined) continue;
      const known = this.#calls.get(id);
      if (known?.isEnded === true) continue;
      const wanted = this.#wanted.get(id);
      const name = textOf(wanted?.name) ?? known?.name;
      if (name === undefined) continue;
      const loop = this.#loopOf(textOf(wanted?.parent) ?? textOf(message.parent_tool_use_id));
      const call = known ?? (loop === undefined ? undefined : this.#callOf(id, name, wanted?.input, loop));
      const meta = metas.find((one) => one.id === id) ?? {};
      if (call === undefined) continue;
      if (block.is_error === true) call.undone(block.content, meta, this.#isInterrupted);
      else call.end({ status: 'ok', result: block.content });
      this.#open.delete(call);
    }
  }

  #result(message: Fields): void {
    const main = this.#main;
    if (main === undefined) return;
    const { subtype, result, terminal_reason, api_error_status, errors } = message;
    const deferred = fieldsOf(message.deferred_tool_use);
    const deferredId = textOf(deferred.id);
    if (deferredId !== undefined) {
      this.#callOf(deferredId, textOf(deferred.name) ?? 'unknown', deferred.input, main)?.deferred();
    }
    for (const denial of listOf(message.permission_denials).map(fieldsOf)) {
      const call = this.#calls.get(String(denial.tool_use_id));
      if (call?.loop === main) call.undone(undefined, {}, false);
    }
    const statusCode = numberOf(api_error_status);
    main.ends({ statusCode });
    const isAborted = /^aborted/.test(textOf(terminal_reason) ?? '') || this.#isInterrupted;
    if (isAborted) this.#endTurn({ isInterrupted: true });
    else if (main.failure !== undefined) this.#endTurn({ error: { ...main.failure, statusCode } });
    else if (subtype !== 'success' || message.is_error === true) {
      const name = subtype === 'success' ? (textOf(terminal_reason) ?? 'error_during_execution') : textOf(subtype);
      this.#endTurn({ error: { name, message: textOf(result) ?? textOf(listOf(errors)[0]) } });
    } else this.#endTurn({ answer: textOf(result) });
  }

  #endTurn(end: AdapterTurnEnd): void {
    const main = this.#main;
    if (main === undefined) return;
    this.#main = undefined;
    for (const child of this.#children.running()) {
      // One that was sent to work in the background goes on.
      if (child.call !== undefined && !child.call.isEnded) this.#children.end(child, { isInterrupted: true });
    }
    if (end.isInterrupted !== true) main.ends({ text: end.answer });
    for (const call of this.#open) {
      if (call.loop !== main && !call.loop.turn.isEnded) continue;
      call.over();
      this.#open.delete(call);
    }
    main.turn.end(end);
  }

  #callOf(id: string | undefined, name: string, input: unknown, loop: AgentLoop): ToolCall | undefined {
    if (id === undefined) return undefined;
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const call = new ToolCall(loop, id, name, input);
    this.#calls.set(id, call);
    this.#wanted.delete(id);
    this.#open.add(call);
    return call;
  }

  #called(event: Fields, agentId: string | undefined): void {
    const isFirst = this.#main === undefined;
    const loop = this.#agent(agentId);
    const call = this.#callOf(textOf(event.tool_use_id), textOf(event.tool_name) ?? 'unknown', event.tool_input, loop);
    // A turn that begins with a call goes on with one that waited for an answer, and has it now.
    if (isFirst && this.#info.isResumed) call?.asked();
    else if (!this.#info.hasOwnToolHooks) call?.start();
  }

  #ran(event: Fields): void {
    const { agentId, isAsync, usage } = fieldsOf(event.tool_response);
    const id = textOf(agentId);
    const call = this.#calls.get(String(event.tool_use_id));
    const child =
      id === undefined || call === undefined ? undefined : this.#child(id, call, textOf(call.input.subagent_type));
    if (child !== undefined && isAsync !== true) this.#children.end(child, {}, fieldsOf(usage));
    const isCut = fieldsOf(event.tool_response).interrupted === true;
    this.#ended(event, { status: isCut ? 'cancelled' : 'ok', result: event.tool_response });
  }

  #ended(event: Fields, end: AdapterToolEnd): void {
    const loop = this.#agent(textOf(event.agent_id));
    const call = this.#callOf(textOf(event.tool_use_id), textOf(event.tool_name) ?? 'unknown', event.tool_input, loop);
    if (call === undefined) return;
    for (const child of this.#children.running()) {
      if (child.call === call && end.status !== 'ok') this.#children.end(child, { isInterrupted: true });
    }
    call.end({ ...end, durationMs: numberOf(event.duration_ms) });
    this.#open.delete(call);
  }

  #batch(event: Fields, agentId: string | undefined): void {
    for (const { tool_use_id, tool_response } of listOf(event.tool_calls).map(fieldsOf)) {
      const call = this.#calls.get(String(tool_use_id));
      if (call === undefined || call.isEnded) continue;
      call.undone(tool_response, {}, this.#isInterrupted);
      this.#open.delete(call);
    }
    this.#agent(agentId).waits();
  }

  /** A subagent starts. Its call is told later, unless it is the only one that is open, or the subagent works already. */
  #childStarts(agentId: string | undefined, role: string | undefined, isKnown: boolean): Subagent | undefined {
    if (agentId === undefined) return undefined;
    const known = this.#children.get(agentId);
    if (known !== undefined && this.#children.isRunning(known)) return known;
    const free = this.#children.free(this.#open, role);
    if (free.length > 1 && !isKnown) return undefined;
    const [call] = free;
    return this.#child(agentId, call, role ?? textOf(call?.input.subagent_type));
  }

  #child(agentId: string, call: ToolCall | undefined, role: string | undefined): Subagent {
    return this.#children.start(agentId, call, role, call?.loop ?? this.#turn(), this.#sessionId);
  }

  #compacts(hook: string): void {
    const { turn } = this.#turn();
    const model = this.#model;
    turn.emit(hook, () => ({
      ...turn.ids(),
      aux_task: 'compression',
      api_request_id: `${turn.turnId}:compact`,
      model,
    }));
  }
}

function failureOf(event: Fields): AdapterToolEnd {
  if (event.is_interrupt === true) return { status: 'cancelled', errorType: 'interrupted' };
  return { status: 'error', errorType: 'tool_error', errorMessage: textOf(event.error) };
}

import type { AdapterApproval, AdapterTool, AdapterToolEnd } from '@hermes-observer/adapter';
import { type HrTime, now } from '@hermes-observer/core';
import { type Fields, fieldsOf, listOf, textOf } from '../sdk/fields.js';
import type { AgentLoop } from './loop.js';

const SURFACE = 'claude-agent-sdk';

/** A call of a tool: from the first that is heard of it to its end. */
export class ToolCall {
  readonly id: string;
  readonly name: string;
  /** Empty after the end: a session may have any number of calls. */
  input: Fields;
  readonly loop: AgentLoop;
  readonly #since: HrTime = now();
  #tool: AdapterTool | undefined = undefined;
  #question: AdapterApproval | undefined = undefined;
  #choice: string | undefined = undefined;
  isEnded = false;

  constructor(loop: AgentLoop, id: string, name: string, input: unknown) {
    this.loop = loop;
    this.id = id;
    this.name = name;
    this.input = fieldsOf(input);
  }

  /** It is under way, since it was first heard of. */
  start(): AdapterTool {
    this.#tool ??= this.loop.turn.tool({ name: this.name, callId: this.id, args: this.input, startedAt: this.#since });
    return this.#tool;
  }

  get isStarted(): boolean {
    return this.#tool !== undefined;
  }

  get isDenied(): boolean {
    return this.#choice === 'deny';
  }

  /** Somebody is asked. `requestId`: the question, as Claude Code names it. */
  asked(requestId?: string): void {
    this.start();
    if (this.#question !== undefined) return;
    this.#question = {
      toolCallId: this.id,
      toolName: this.name,
      surface: SURFACE,
      requestId,
      command: textOf(this.input.command),
    };
    this.loop.turn.asked(this.#question);
  }

  answered(choice: string): void {
    if (this.#question === undefined || this.#choice !== undefined) return;
    this.#choice = choice;
    this.loop.turn.answered(this.#question, choice);
  }

  /** It waits for an answer beyond the end of the turn: it has not begun. */
  deferred(): void {
    if (this.#tool !== undefined) this.end({ status: 'cancelled', errorType: 'deferred' });
    this.over();
    const question = { toolCallId: this.id, toolName: this.name, surface: SURFACE };
    this.loop.turn.asked(question);
    this.loop.turn.answered(question, 'pending');
  }

  /** Nothing of it is told any more. */
  over(): void {
    this.isEnded = true;
    this.input = {};
  }

  end(end: AdapterToolEnd): void {
    if (this.isEnded) return;
    const tool = this.start();
    this.over();
    this.answered(end.status === 'blocked' ? 'deny' : 'once');
    tool.end(end);
  }

  /**
   * It has a result, and none of the hooks that tell of calls which ran: it was denied, or interrupted, or could not run.
   *
   * @param result as the model is told @param meta what newer versions say of it
   */
  undone(result: unknown, meta: Fields, isInterrupted: boolean): void {
    if (this.isEnded) return;
    const text = resultText(result);
    const kind = textOf(meta.non_execution_kind);
    if (this.isDenied) this.end({ status: 'blocked', errorType: 'user_denied', result: text });
    else if (isInterrupted || /interrupt|abort/.test(kind ?? ''))
      this.end({ status: 'cancelled', errorType: 'interrupted' });
    else if (kind === undefined && /^<tool_use_error>/.test(text ?? '')) {
      const errorType = /InputValidationError/.test(text ?? '') ? 'invalid_tool_arguments' : 'tool_error';
      this.end({ status: 'error', errorType, errorMessage: text });
    } else this.end({ status: 'blocked', errorType: 'permission_denied', result: text });
  }
}

/** Text of a result: a string, or a list of parts. */
export function resultText(result: unknown): string | undefined {
  if (typeof result === 'string') return result;
  const texts = listOf(result).map((part) => textOf(fieldsOf(part).text));
  return texts.find((text) => text !== undefined);
}

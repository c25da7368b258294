import {
  type AdapterAnswer,
  type AdapterRequest,
  type AdapterTool,
  AdapterTurn,
  type AskedToolCall,
  failureIn,
} from '@hermes-observer/adapter';
import { answerOf } from '../sdk/answer.js';
import type { DecidedCall, WaitingCall } from '../sdk/approvals.js';
import { fieldsOf, listOf, textOf } from '../sdk/fields.js';
import { callOf, callsIn, hostedCallsIn, resultsIn } from '../sdk/items.js';
import { messagesOf, recordedMessages } from '../sdk/messages.js';
import { modelNameOf, providerOf } from '../sdk/models.js';
import { ToolCall } from './tool-call.js';

const SURFACE = 'openai-agents';

/** A call that the model asked for, and that nothing was heard of yet. */
interface AskedCall extends AskedToolCall {
  readonly requestId: string;
  readonly isHandoff: boolean;
  readonly isKnown: boolean;
}

/** Where each turn of a run is told of. */
interface RunsByTurn {
  add(turn: AdapterTurn, run: Run): void;
}

/** One `run` of the SDK: what is heard of it, as a turn, with a child for each agent that it was handed to. */
export class Run {
  /** The run's own turn. */
  readonly turn: AdapterTurn;
  /** Where its turns are found. */
  readonly runs: RunsByTurn;
  /** The call of another run that this one works for. */
  readonly caller: ToolCall | undefined;
  /** The turn of the agent in charge. */
  current: AdapterTurn;
  readonly #hasContent: boolean;
  readonly #firstAgent: unknown;
  readonly #calls = new Map<string, ToolCall>();
  readonly #asked = new Map<string, AskedCall>();
  #agent: unknown;
  #context: unknown;
  #request: AdapterRequest | undefined;
  #answer: string | undefined;

  /** `hasContent`: the program lets content into traces. */
  constructor(turn: AdapterTurn, agent: unknown, hasContent: boolean, runs: RunsByTurn, caller?: ToolCall) {
    this.turn = turn;
    this.current = turn;
    this.caller = caller;
    this.#firstAgent = agent;
    this.#agent = agent;
    this.#hasContent = hasContent;
    this.runs = runs;
    runs.add(turn, this);
  }

  get isEnded(): boolean {
    return this.turn.isEnded;
  }

  /** What the code of a tool of this run asks a model by itself: a child with that request. */
  below(turn: AdapterTurn, tool: AdapterTool, model: object): Run {
    const child = new AdapterTurn(turn.host, turn.guard, { model: modelNameOf(model) }, turn, tool.callId);
    return new Run(child, undefined, this.#hasContent, this.runs);
  }

  /** The run goes on with what a person said about calls. What was approved runs next, in the call that waits here. */
  resumed(calls: readonly DecidedCall[], context: unknown): void {
    this.#context = context;
    for (const { toolCallId, toolName, args, approved } of calls) {
      if (approved === undefined) continue;
      const tool = this.turn.tool({ name: toolName, callId: toolCallId, args: this.#args(args) });
      const question = questionOf(toolCallId, toolName);
      this.turn.asked(question);
      this.turn.answered(question, approved ? 'once' : 'deny');
      if (!approved) tool.end({ status: 'blocked', errorType: 'user_denied' });
    }
  }

  /** An agent begins, in the context of the run. */
  agentStarts(context: unknown): void {
    this.#context = context;
  }

  /** Another agent takes over. One that comes back to the agent the run began with is in the run's own turn again. */
  handedOff(agent: unknown): void {
    if (this.current !== this.turn) this.current.end();
    this.#agent = agent;
    this.current = this.turn;
    if (agent === this.#firstAgent) return;
    const { name, model } = fieldsOf(agent);
    const info = { agentName: textOf(name), model: modelNameOf(model) };
    this.current = new AdapterTurn(this.turn.host, this.turn.guard, info, this.turn);
    this.runs.add(this.current, this);
  }

  /** An attempt begins: another one of a request that failed, or the first of the next. */
  attempt(model: object, request: unknown): AdapterRequest {
    if (this.#request?.hasFailed === true) {
      this.#request.retry();
      return this.#request;
    }
    this.#request?.close();
    const { input, systemInstructions, modelSettings } = fieldsOf(request);
    this.#settle(input);
    const { maxTokens } = fieldsOf(modelSettings);
    this.#request = this.current.request({
      model: modelNameOf(model) ?? modelNameOf(fieldsOf(this.#agent).model),
      provider: providerOf(model),
      messages: this.#hasContent ? messagesOf(input) : undefined,
      recordedMessages,
      systemPrompt: this.#hasContent ? systemInstructions : undefined,
      maxTokens: typeof maxTokens === 'number' ? maxTokens : undefined,
    });
    return this.#request;
  }

  /** The model answered. */
  answered(request: AdapterRequest, asked: unknown, response: unknown): void {
    const { output } = fieldsOf(response);
    const answer = answerOf(response, this.#hasContent);
    this.#answer = answer.text;
    this.#end(request, answer);
    for (const { id, name, args, result, hasFailed } of hostedCallsIn(output)) {
      const tool = this.current.tool({ name, callId: id, args: this.#hasContent ? args : undefined });
      if (hasFailed) tool.end({ status: 'error', errorType: 'tool_error' });
      else tool.end({ status: 'ok', result: this.#hasContent ? result : undefined });
    }
    this.#asked.clear();
    const calls = answer.toolCalls ?? callsIn(output);
    if (calls.length === 0) return;
    const { handoffs, tools } = fieldsOf(asked);
    for (const call of calls) {
      const isNamed = (key: string) => (one: unknown) => fieldsOf(one)[key] === call.name;
      this.#asked.set(call.id, {
        ...call,
        requestId: request.id,
        isHandoff: listOf(handoffs).some(isNamed('toolName')),
        isKnown: listOf(tools).some(isNamed('name')),
      });
    }
  }

  #end(request: AdapterRequest, answer: AdapterAnswer): void {
    // An attempt inside was seen to fail, and the client went on in a way that was not.
    if (request.hasFailed) request.retry();
    request.end(answer);
  }

  failed(request: AdapterRequest, error: unknown, signal: unknown): void {
    request.failed(this.told(error), signal instanceof AbortSignal ? signal : undefined);
  }

  /** A tool begins. `hasCode` where its code can be followed. */
  toolStarts(tool: unknown, item: unknown, hasCode: boolean): ToolCall {
    const call = callOf(item);
    const asked = call === undefined ? undefined : this.#asked.get(call.id);
    if (call !== undefined) this.#asked.delete(call.id);
    const begun = this.current.tool({
      name: textOf(fieldsOf(tool).name) ?? call?.name ?? 'unknown',
      callId: call?.id,
      args: this.#args(call?.arguments),
      requestId: asked?.requestId,
    });
    const known = new ToolCall(begun, hasCode, this.#hasContent);
    if (call !== undefined) this.#calls.set(call.id, known);
    return known;
  }

  toolEnds(item: unknown, result: unknown): void {
    const id = callOf(item)?.id;
    if (id === undefined) return;
    this.#calls.get(id)?.ended(result);
    this.#calls.delete(id);
  }

  /** The run stops to ask a person. */
  waits(calls: readonly WaitingCall[]): void {
    for (const { toolCallId, toolName } of calls) {
      this.#asked.delete(toolCallId);
      const question = questionOf(toolCallId, toolName);
      this.current.asked(question);
      this.current.answered(question, 'pending');
    }
    if (this.caller !== undefined) this.caller.isWaiting = true;
  }

  /** Ends all of it. `items` are those the run made. */
  end(error?: unknown, isInterrupted = false, items?: unknown): void {
    if (items !== undefined) this.#settle(items);
    const end = { error: error === undefined ? undefined : this.told(error), isInterrupted, answer: this.#answer };
    if (this.current !== this.turn) this.current.end(end);
    this.turn.end(end);
    this.#calls.clear();
  }

  /** An error as records may tell it: without what it says, where the program lets no content out. */
  told(error: unknown): unknown {
    if (this.#hasContent) return error;
    const { type, statusCode, aborted } = failureIn(error);
    return { name: aborted ? 'AbortError' : type, statusCode };
  }

  #args(text: string | undefined): unknown {
    if (!this.#hasContent || text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  /** Calls that have a result and were never begun: denied without a question, or with arguments that cannot be read. */
  #settle(items: unknown): void {
    if (this.#asked.size === 0) return;
    const results = resultsIn(items);
    for (const [callId, { name, arguments: args, requestId, isHandoff, isKnown }] of this.#asked) {
      if (isHandoff || !results.has(callId)) continue;
      const tool = this.current.tool({ name, callId, args: this.#args(args), requestId });
      if (isDenied(this.#context, name, callId)) tool.end({ status: 'blocked', errorType: 'user_denied' });
      else tool.end({ status: 'error', errorType: isKnown ? 'invalid_tool_arguments' : 'tool_not_found' });
    }
    this.#asked.clear();
  }
}

/** The SDK knows a question by its call. */
const questionOf = (toolCallId: string, toolName: string) => ({
  toolCallId,
  toolName,
  surface: SURFACE,
  requestId: toolCallId,
});

function isDenied(context: unknown, toolName: string, callId: string): boolean {
  const { isToolApproved } = fieldsOf(context);
  return (
    typeof isToolApproved === 'function' && Reflect.apply(isToolApproved, context, [{ toolName, callId }]) === false
  );
}

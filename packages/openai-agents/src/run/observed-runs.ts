import {
  type AdapterHost,
  AdapterTurn,
  BoundedMap,
  type Guard,
  isPromise,
  type ScopeStore,
} from '@hermes-observer/adapter';
import { followed } from '../patching/followed.js';
import { onNextCall } from '../patching/next-call.js';
import { type Around, ownerOf, wrapMethod } from '../patching/wrapped-method.js';
import { agentOf, decidedCallsIn, isState, waitingCallsIn } from '../sdk/approvals.js';
import { currentGroupId, watchSpanError } from '../sdk/current-span.js';
import { type Fields, fieldsOf, textOf } from '../sdk/fields.js';
import { userMessageOf } from '../sdk/messages.js';
import { modelNameOf } from '../sdk/models.js';
import type { ModelCalls } from './model-calls.js';
import { Run } from './run.js';
import type { RunStore } from './run-store.js';
import type { ToolCall } from './tool-call.js';

/** Questions nobody answers are forgotten from here on, the oldest first. */
const MOST_QUESTIONS = 10_000;

/** Makes runs of the calls of a `Runner`, and of the events that it emits. */
export class ObservedRuns {
  readonly #host: AdapterHost;
  readonly #guard: Guard;
  readonly #scopes: ScopeStore;
  readonly #runs: RunStore;
  readonly #models: ModelCalls;
  /** By the id of the call that waits: the session of a run that goes on without being told of one. */
  readonly #waiting = new BoundedMap<string, string>(MOST_QUESTIONS);

  constructor(host: AdapterHost, guard: Guard, scopes: ScopeStore, runs: RunStore, models: ModelCalls) {
    this.#host = host;
    this.#guard = guard;
    this.#scopes = scopes;
    this.#runs = runs;
    this.#models = models;
  }

  /** In place of `run` of a runner. */
  readonly aroundRun: Around = (runner, args, call) => {
    const run = this.#guard.safely(() => this.start(runner, args));
    if (run === undefined) return call();
    return followed(() => this.#scopes.run({ turn: run.turn }, call), {
      done: (result) => void this.#guard.safely(() => this.returned(run, result, args)),
      failed: (error) => void this.#guard.safely(() => run.end(error, isAborted(args))),
    });
  };

  /** In place of `emit` of a runner. */
  readonly aroundEmit: Around = (_, args, call) => {
    this.#guard.safely(() => this.heard(args));
    return call();
  };

  /** A run begins: of an agent on an input, or on from a state. */
  start(runner: object, [agent, input, options]: readonly unknown[]): Run {
    const goesOn = isState(input);
    const first = goesOn ? (agentOf(input) ?? agent) : agent;
    const config = fieldsOf(fieldsOf(runner).config);
    this.#prepare(first, config);
    const decided = goesOn ? decidedCallsIn(input) : [];
    const hasContent = config.traceIncludeSensitiveData !== false;
    const around = this.#scopes.getStore();
    const parent = this.#runs.inCharge(around?.turn);
    const asked = this.#sessionOfQuestion(decided);
    const info = {
      // The session of a child is of one run alone: what goes on has a new one.
      sessionId: sessionOf(config, goesOn ? input : undefined, options) ?? (parent === undefined ? asked : undefined),
      agentName: textOf(fieldsOf(first).name),
      userMessage: hasContent && !goesOn ? userMessageOf(input) : undefined,
      model: modelNameOf(fieldsOf(first).model) ?? modelNameOf(config.model),
    };
    const turn = new AdapterTurn(this.#host, this.#guard, info, parent, around?.tool?.callId);
    const run = new Run(turn, first, hasContent, this.#runs, this.#runs.callOf(around?.tool));
    if (goesOn) run.resumed(decided, fieldsOf(input)._context);
    return run;
  }

  /** It gave a result, or the stream of one, which ends later. */
  returned(run: Run, result: unknown, args: readonly unknown[]): void {
    const { completed } = fieldsOf(result);
    if (!isPromise(completed)) {
      this.#finished(run, result, isAborted(args));
      return;
    }
    const isLeft = () => isAborted(args) || fieldsOf(result).cancelled === true;
    const done = () => void this.#guard.safely(() => this.#finished(run, result, isLeft()));
    const failed = (error: unknown) => void this.#guard.safely(() => run.end(error, isLeft()));
    // Before the program has the end of the stream: it may be about to shut down.
    this.#guard.safely(() => {
      const stream = result as object;
      if (ownerOf(stream, '_done') === undefined || ownerOf(stream, '_raiseError') === undefined) return;
      wrapMethod(stream, '_done', (_, __, call) => {
        done();
        return call();
      });
      wrapMethod(stream, '_raiseError', (_, [error], call) => {
        failed(error);
        return call();
      });
    });
    // The SDK handles a rejection of this promise itself.
    void completed.then(done, failed);
  }

  #finished(run: Run, result: unknown, isInterrupted: boolean): void {
    const { state, newItems } = fieldsOf(result);
    const calls = waitingCallsIn(state);
    const hasQuestions = fieldsOf(fieldsOf(state)._currentStep).type === 'next_step_interruption';
    for (const { toolCallId } of calls) this.#waiting.set(toolCallId, run.turn.sessionId);
    if (hasQuestions) run.waits(calls);
    run.end(undefined, isInterrupted && !hasQuestions && isUnfinished(state), newItems);
  }

  /** An event of a runner: its name, and what it tells. */
  heard([type, context, agent, ...args]: readonly unknown[]): void {
    const run = this.#runs.of(this.#scopes.getStore()?.turn);
    if (run === undefined || run.isEnded) return;
    if (type === 'agent_start') {
      this.#prepare(agent);
      run.agentStarts(context);
    } else if (type === 'agent_handoff') {
      this.#prepare(args[0]);
      run.handedOff(args[0]);
    } else if (type === 'agent_tool_start') {
      this.#toolStarts(run, args[0], fieldsOf(args[1]).toolCall);
    } else if (type === 'agent_tool_end') {
      run.toolEnds(fieldsOf(args[2]).toolCall, args[1]);
    }
  }

  /** A model that cannot be followed leaves its run a turn all the same. */
  #prepare(agent: unknown, config?: Fields): void {
    this.#guard.safely(() => this.#models.prepare(fieldsOf(agent).model, config));
  }

  #toolStarts(run: Run, tool: unknown, item: unknown): void {
    const isFunction = fieldsOf(tool).type === 'function';
    const known = run.toolStarts(tool, item, isFunction);
    const turn = run.current;
    this.#runs.addCall(known);
    if (!isFunction) return;
    try {
      onNextCall(tool as object, 'invoke', (call) => this.#runTool(turn, known, call));
    } catch {
      // A frozen tool: what its span in the SDK and its result say of it has to do.
      known.codeIsUnseen();
      // The first one is the tool's own.
      const forget = watchSpanError((error) => {
        forget();
        this.#guard.safely(() => known.hasError(error));
      });
    }
  }

  #runTool(turn: AdapterTurn, known: ToolCall, call: () => unknown): unknown {
    const safely = (fn: () => void) => void this.#guard.safely(fn);
    let forget: (() => void) | undefined;
    safely(() => {
      known.runs();
      forget = watchSpanError((error) => safely(() => known.hasError(error)));
    });
    const done = (tell: () => void) =>
      safely(() => {
        forget?.();
        tell();
      });
    return followed(() => this.#scopes.run({ turn, tool: known.tool }, call), {
      done: (value) => done(() => known.returned(value)),
      failed: (error) => done(() => known.threw(error)),
    });
  }

  #sessionOfQuestion(calls: readonly { toolCallId: string }[]): string | undefined {
    const session = calls.map(({ toolCallId }) => this.#waiting.get(toolCallId)).find((id) => id !== undefined);
    for (const { toolCallId } of calls) this.#waiting.delete(toolCallId);
    return session;
  }
}

/** The conversation: the group of traces, as the program says, else the id that the provider or the SDK's session has. */
function sessionOf(config: Readonly<Record<string, unknown>>, state: unknown, options: unknown): string | undefined {
  const { conversationId, session } = fieldsOf(options);
  return (
    textOf(config.groupId) ??
    textOf(fieldsOf(fieldsOf(state)._trace).groupId) ??
    currentGroupId() ??
    textOf(conversationId) ??
    textOf(fieldsOf(state)._conversationId) ??
    textOf(fieldsOf(session).sessionId)
  );
}

const isAborted = ([, , options]: readonly unknown[]): boolean => fieldsOf(fieldsOf(options).signal).aborted === true;

/** Whether a run that was called off had not come to its end before. */
const isUnfinished = (state: unknown): boolean =>
  fieldsOf(fieldsOf(state)._currentStep).type !== 'next_step_final_output';

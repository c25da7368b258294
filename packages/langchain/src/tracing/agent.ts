import { type AdapterHost, AdapterTurn, type Guard } from '@hermes-observer/adapter';
import { newId } from '@hermes-observer/core';
import { isAbort, saysAbort } from '../framework/aborts.js';
import { isSignal } from '../framework/interrupts.js';
import { answerIn, type MessageCall, questionIn } from '../framework/messages.js';

/** Calls of one agent of which nothing is known yet but that a model asked for them. */
const MOST_ASKED = 1_000;

/** Where an agent runs. */
export interface AgentPlace {
  readonly host: AdapterHost;
  readonly guard: Guard;
  /** Whether turns are made at all: another instrumentation may do it. */
  readonly isObserved: () => boolean;
}

/** An agent as it starts. */
export interface AgentInfo {
  readonly runId: string;
  readonly name: string | undefined;
  readonly sessionId: string | undefined;
  readonly threadId: string | undefined;
  /** What its graph goes on with, after it waited for a person. */
  readonly resume: unknown;
  readonly parent: Agent | undefined;
  /** The turn of another adapter that it works for. */
  readonly around: AdapterTurn | undefined;
  readonly parentCallId: string | undefined;
}

/** A run of LangChain that may be a turn. It is one from its first request or call on; a chain without any is none. */
export class Agent {
  readonly info: AgentInfo;
  /** What models asked for and has not started. */
  readonly asked = new Map<string, MessageCall>();
  /** Ids of interrupts that were told of, of the whole tree: they come by all graphs that they stop. */
  readonly interrupts: Set<string>;
  /** Whether the decisions that it goes on with were told of. */
  isDecided = false;
  turn: AdapterTurn | undefined;
  answer: string | undefined;
  readonly #place: AgentPlace;
  /** Content, until its turn begins: many agents may never end. */
  #inputs: unknown;
  /** Why a part of it failed first. */
  #cause: unknown;
  /** Whether a part of it stopped to ask, or to go elsewhere. */
  #isStopped = false;
  #signal: AbortSignal | undefined;

  constructor(place: AgentPlace, info: AgentInfo, inputs: unknown) {
    this.#place = place;
    this.#inputs = inputs;
    this.info = info;
    this.interrupts = info.parent?.interrupts ?? new Set();
  }

  get resume(): unknown {
    return this.info.resume ?? this.info.parent?.resume;
  }

  /** Its turn, which begins now if it has not. `undefined` where there shall be none. */
  begin(model?: string): AdapterTurn | undefined {
    if (this.turn !== undefined) return this.turn;
    const { host, guard, isObserved } = this.#place;
    const { runId, name, sessionId, parent, around, parentCallId } = this.info;
    if (!isObserved()) return undefined;
    const above = parent?.begin() ?? around;
    const info = {
      // Each observer makes a turn of its own of the run.
      turnId: newId(`${runId}:`),
      sessionId,
      agentName: name,
      userMessage: guard.safely(() => questionIn(this.#inputs)),
      model,
    };
    this.#inputs = undefined;
    this.turn = new AdapterTurn(host, guard, info, above?.isEnded === false ? above : undefined, parentCallId);
    return this.turn;
  }

  ask(calls: readonly MessageCall[]): void {
    for (const call of calls) if (this.asked.size < MOST_ASKED) this.asked.set(call.id, call);
  }

  /** The id of a call that starts without it, as in `@langchain/core` 1.0: one that was asked for with this name and input. */
  askedFor(name: string, input: unknown): string | undefined {
    const same = [...this.asked.values()].filter((call) => call.name === name);
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    return (same.find(({ args }) => JSON.stringify(args) === text) ?? same[0])?.id;
  }

  /** A part of it failed; whether that fails the whole is not known yet. */
  failedInside(error: unknown): void {
    if (isSignal(error)) this.#isStopped = true;
    else this.#cause ??= error;
  }

  /**
   * Of a stream that is left in the middle, graphs tell no end: all that is seen is that their signal is aborted. Some versions
   * have another one for each step.
   */
  watch(signal: AbortSignal): void {
    if (this.#signal === signal || signal.aborted) return;
    this.#unwatch();
    this.#signal = signal;
    signal.addEventListener('abort', this.#aborted, { once: true });
  }

  #unwatch(): void {
    this.#signal?.removeEventListener('abort', this.#aborted);
    this.#signal = undefined;
  }

  readonly #aborted = () => {
    const reason: unknown = this.#signal?.reason;
    this.#signal = undefined;
    // Parts that fail have the others called off, and an end of the whole.
    const left = () => {
      const cause = this.#cause ?? reason;
      if (!this.#isStopped && isAbort(cause)) this.turn?.end({ isInterrupted: true });
    };
    // What is told of it comes first.
    setImmediate(() => setImmediate(() => this.#place.guard.safely(left)));
  };

  ended(output: unknown): void {
    this.#unwatch();
    this.turn?.end({ answer: this.#place.guard.safely(() => answerIn(output)) ?? this.answer });
  }

  failed(error: unknown): void {
    this.#unwatch();
    if (isSignal(error)) {
      this.turn?.end({ answer: this.answer });
      return;
    }
    const cause = saysAbort(error) ? (this.#cause ?? error) : error;
    if (isAbort(cause) || saysAbort(cause)) this.turn?.end({ isInterrupted: true });
    else this.turn?.end({ error: cause });
  }
}

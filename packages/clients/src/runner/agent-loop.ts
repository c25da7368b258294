import type { AdapterToolInfo, AdapterTurn, Scope } from '@hermes-observer/adapter';
import { runTool } from '../agent/run-tool.js';
import { fieldsOf, lastUserMessage, textOf } from '../answer/fields.js';
import { openCalls } from '../client/open-calls.js';
import { watchersOf } from '../client/patched-client.js';
import { turnOfOwn } from '../client/turn-of-own.js';
import type { Watcher } from '../client/watcher.js';

/** Who is to be told of a loop that this resource of a client runs: of several the first. */
export function loopWatcherOf(resource: object): Watcher | undefined {
  const { _client: client } = resource as { _client?: object };
  if (client === undefined) return undefined;
  return watchersOf(client).find((watcher) => watcher.guard.safely(() => watcher.yields(client)) === false);
}

/** A loop of requests and tools that a client runs by itself, for one observer: a turn, or a part of the one it is in. */
export class AgentLoop {
  readonly #watcher: Watcher;
  readonly #turn: AdapterTurn;
  readonly #isWholeTurn: boolean;
  /** What a tool threw, the last one. */
  thrown: unknown;

  constructor(watcher: Watcher, body: unknown) {
    this.#watcher = watcher;
    const scope = watcher.scopes.getStore();
    const { model, messages } = fieldsOf(body);
    const turn = turnOfOwn(watcher, scope, { model: textOf(model), userMessage: lastUserMessage(messages) });
    this.#isWholeTurn = turn !== undefined;
    this.#turn = turn ?? (scope as Scope).turn;
  }

  /** Whether the code that runs is the loop's own, and not that of one of its tools. */
  get isCurrent(): boolean {
    const scope = this.#watcher.scopes.getStore();
    return scope?.turn === this.#turn && scope.tool === undefined;
  }

  /** Calls `fn` as a part of the loop. */
  run<T>(fn: () => T): T {
    const { scopes } = this.#watcher;
    const scope = scopes.getStore();
    return scope?.turn === this.#turn ? fn() : scopes.run({ turn: this.#turn }, fn);
  }

  /** Runs the function of a tool. */
  tool<T>(info: () => AdapterToolInfo, fn: () => T): T {
    const { guard } = this.#watcher;
    const tool = this.#turn.isEnded ? undefined : guard.safely(() => this.#turn.tool(info()));
    if (tool === undefined) return fn();
    return runTool(this.#watcher, this.#turn, tool, fn, (error) => {
      this.thrown = error;
    });
  }

  /** The program goes on without the rest: interrupted, unless the model had said all. */
  left(): void {
    this.ended({ isInterrupted: this.#turn.finishReason === 'cancelled' || this.#turn.finishReason === 'tool_calls' });
  }

  ended({ error, isInterrupted }: { error?: unknown; isInterrupted?: boolean } = {}): void {
    if (!this.#isWholeTurn) return;
    this.#turn.end({ error, isInterrupted, answer: openCalls.lastAnswer(this.#turn) });
  }
}

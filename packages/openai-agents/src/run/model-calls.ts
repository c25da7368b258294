import type { AdapterRequest, Guard, ScopeStore } from '@hermes-observer/adapter';
import type { FrameworkSpans } from '../options.js';
import { followed } from '../patching/followed.js';
import { watchIterable } from '../patching/watched-iterable.js';
import { type Around, ownerOf, wrapMethod } from '../patching/wrapped-method.js';
import { isChunk } from '../sdk/answer.js';
import { type Fields, fieldsOf } from '../sdk/fields.js';
import { hasTracedClient, rememberName } from '../sdk/models.js';
import type { Run } from './run.js';
import type { RunStore } from './run-store.js';

/** Classes of models that get their methods back in the end: a program has few. What is left only calls them. */
const MOST_CLASSES = 1_000;

const METHODS = ['getResponse', 'getStreamedResponse'] as const;

/**
 * Follows the calls of models. A model is reached when an agent that has it begins, by its class, so that it stays the object
 * it is; outside of runs its methods do what they did.
 */
export class ModelCalls {
  readonly #guard: Guard;
  readonly #scopes: ScopeStore;
  readonly #runs: RunStore;
  readonly #frameworkSpans: FrameworkSpans;
  readonly #known = new WeakMap<object, Set<string>>();
  readonly #ends: (() => void)[] = [];
  #isEnded = false;

  constructor(guard: Guard, scopes: ScopeStore, runs: RunStore, frameworkSpans: FrameworkSpans = 'warn') {
    this.#guard = guard;
    this.#scopes = scopes;
    this.#runs = runs;
    this.#frameworkSpans = frameworkSpans;
  }

  /** Follows a model, and those that a runner's configuration leads to. */
  prepare(model: unknown, config: Fields = {}): void {
    this.#follow(model);
    this.#follow(config.model);
    this.#wrap(config.modelProvider, 'getModel', this.#aroundGetModel);
  }

  /** Whether a request is one of a model that is followed here. */
  has(request: AdapterRequest): boolean {
    return request.owner === this;
  }

  end(): void {
    this.#isEnded = true;
    for (const end of this.#ends.splice(0)) end();
  }

  #follow(model: unknown): void {
    this.#wrap(model, METHODS[0], this.#aroundResponse);
    this.#wrap(model, METHODS[1], this.#aroundStream);
  }

  #wrap(object: unknown, name: string, around: Around): void {
    if (typeof object !== 'object' || object === null || this.#isEnded) return;
    const owner = ownerOf(object, name);
    if (owner === undefined) return;
    if (this.#wrapOf(owner, name, around, owner !== object)) return;
    if (owner !== object && this.#wrapOf(object, name, around, false)) return;
    this.#guard.tell('a model, or what gives models, is frozen: its runs have no requests');
  }

  /** False where the method cannot be replaced. What only one object has goes with it, and is not put back. */
  #wrapOf(owner: object, name: string, around: Around, isClass: boolean): boolean {
    const known = this.#known.get(owner) ?? new Set();
    if (known.has(name)) return true;
    let end: () => void;
    try {
      end = wrapMethod(owner, name, (receiver, args, call) => (this.#isEnded ? call() : around(receiver, args, call)));
    } catch {
      // Frozen, or a proxy that refuses.
      return false;
    }
    this.#known.set(owner, known.add(name));
    if (isClass && this.#ends.length < MOST_CLASSES) this.#ends.push(end);
    return true;
  }

  readonly #aroundGetModel: Around = (_, [name], call) =>
    followed(call, {
      done: (model) =>
        void this.#guard.safely(() => {
          if (typeof model !== 'object' || model === null) return;
          rememberName(model, name);
          this.#follow(model);
        }),
      failed: () => {},
    });

  readonly #aroundResponse: Around = (model, [asked], call) => {
    const attempt = this.#guard.safely(() => this.attempt(model, asked));
    if (attempt === undefined) return call();
    const { run, request, enter, over } = attempt;
    return followed(() => enter(call), {
      done: (response) =>
        void this.#guard.safely(() => {
          run.answered(request, asked, response);
          over();
        }),
      failed: (error) =>
        void this.#guard.safely(() => {
          run.failed(request, error, fieldsOf(asked).signal);
          over(error);
        }),
    });
  };

  readonly #aroundStream: Around = (model, [asked], call) => {
    const attempt = this.#guard.safely(() => this.attempt(model, asked));
    if (attempt === undefined) return call();
    const { run, request, enter, over } = attempt;
    const guard = this.#guard;
    let isAnswered = false;
    const failed = (error: unknown) =>
      void guard.safely(() => {
        run.failed(request, error, fieldsOf(asked).signal);
        over(error);
      });
    const stream = this.#opened(() => enter(call), failed);
    if (!isAsyncIterable(stream)) return stream;
    return watchIterable(stream, enter, {
      part(part) {
        try {
          if (isChunk(part)) request.chunk();
          const { type, response } = part as Fields;
          if (type !== 'response_done') return;
          isAnswered = true;
          run.answered(request, asked, response);
        } catch (fault) {
          guard.note(fault);
        }
      },
      done: () =>
        void guard.safely(() => {
          if (!isAnswered) request.end({});
          over();
        }),
      failed,
      left: () =>
        void guard.safely(() => {
          if (!isAnswered) request.cancelled();
          over(undefined, !isAnswered);
        }),
    });
  };

  #opened(open: () => unknown, failed: (error: unknown) => void): unknown {
    try {
      return open();
    } catch (error) {
      failed(error);
      throw error;
    }
  }

  /** An attempt of the run whose code this is; `undefined` outside of runs, and in an attempt that is under way. */
  attempt(model: object, asked: unknown): Attempt | undefined {
    const scope = this.#scopes.getStore();
    const around = this.#runs.of(scope?.turn);
    if (scope === undefined || around === undefined || around.isEnded || scope.request?.isEnded === false)
      return undefined;
    if (this.#yields(model)) return undefined;
    // What the code of a tool asks a model is not asked by the agent that called the tool.
    const own = scope.tool === undefined ? undefined : around.below(scope.turn, scope.tool, model);
    const run = own ?? around;
    const request = run.attempt(model, asked);
    request.owner = this;
    const within = { turn: run.current, request };
    return {
      run,
      request,
      enter: (fn) => this.#scopes.run(within, fn),
      over: (error, isInterrupted) => own?.end(error, isInterrupted),
    };
  }

  #yields(model: object): boolean {
    if (this.#frameworkSpans === 'keep' || !hasTracedClient(model)) return false;
    if (this.#frameworkSpans === 'yield') return true;
    this.#guard.tell(
      "the client of a model is instrumented as well, so that its requests count twice: take that out, or set frameworkSpans to 'yield' or 'keep'",
    );
    return false;
  }
}

interface Attempt {
  readonly run: Run;
  readonly request: AdapterRequest;
  readonly enter: <T>(fn: () => T) => T;
  /** No more comes of it. */
  readonly over: (error?: unknown, isInterrupted?: boolean) => void;
}

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof fieldsOf(value)[Symbol.asyncIterator as never] === 'function';

import type { AdapterRequest, Scope } from '@hermes-observer/adapter';
import { Handlers6, type Watcher } from './tracing/handlers-6.js';
import { watchers } from './watchers.js';

/** A middleware of `wrapLanguageModel`, as AI SDK 6 has them. */
export interface ObserverMiddleware {
  readonly specificationVersion: 'v3';
  wrapGenerate<R>(call: { readonly doGenerate: () => PromiseLike<R> }): PromiseLike<R>;
  wrapStream<R>(call: { readonly doStream: () => PromiseLike<R> }): PromiseLike<R>;
}

/** An attempt that an observer is told of. */
interface Attempt {
  readonly watcher: Watcher;
  readonly handlers: Handlers6;
  readonly request: AdapterRequest;
}

/**
 * Shows each attempt of a model to the observers of `instrumentAiSdk`, and how a run that fails ends, which AI SDK 6 does not
 * tell: `wrapLanguageModel({ model, middleware: observerMiddleware() })`. Calls and answers stay as they are. With AI SDK 7,
 * which tells of attempts itself, it does nothing.
 */
export function observerMiddleware(): ObserverMiddleware {
  return {
    specificationVersion: 'v3',
    wrapGenerate: ({ doGenerate }) => observed(doGenerate),
    wrapStream: ({ doStream }) => observed(doStream),
  };
}

function observed<R>(call: () => PromiseLike<R>): PromiseLike<R> {
  const attempts = [...watchers].flatMap((watcher) => attemptOf(watcher) ?? []);
  if (attempts.length === 0) return call();
  const within = attempts.reduceRight<() => PromiseLike<R>>(
    (inner, { watcher, handlers }) =>
      () =>
        watcher.scopes.run(handlers.scope, inner),
    call,
  );
  return within().then(
    (result) => {
      for (const { watcher, handlers, request } of attempts) {
        watcher.guard.safely(() => handlers.answered(request, result));
      }
      return result;
    },
    (error: unknown) => {
      for (const { watcher, handlers, request } of attempts) {
        watcher.guard.safely(() => handlers.failed(request, error));
      }
      throw error;
    },
  );
}

function attemptOf(watcher: Watcher): Attempt | undefined {
  return watcher.guard.safely(() => {
    const scope: Scope | undefined = watcher.scopes.getStore();
    const handlers = Handlers6.of(scope);
    const request = handlers?.attempt();
    return handlers === undefined || request === undefined ? undefined : { watcher, handlers, request };
  });
}

import { checkOptions, isHost } from '@hermes-observer/adapter';
import { demandOption } from '@hermes-observer/core';
import { Observing } from './observing.js';
import { type ClaudeOptions, KNOWN_OPTIONS } from './options.js';
import { fieldsOf } from './sdk/fields.js';
import { withFields } from './sdk/with-fields.js';

type AnyFunction = (this: unknown, ...args: never[]) => unknown;

/**
 * The `query` of `@anthropic-ai/claude-agent-sdk`, of the same type, whose turns are observed. What it gives, throws and calls, and
 * when, is what `query` does. The SDK itself is not loaded here. Where it is observed for the same observer already, it is observed
 * once.
 *
 * ```ts
 * import * as sdk from '@anthropic-ai/claude-agent-sdk';
 *
 * const query = observedQuery(sdk.query, { observer });
 * ```
 *
 * @throws ObserverError for a wrong option, where it is no `query`, or where no `observer` is given and the environment has a wrong
 * setting.
 */
export function observedQuery<Query extends AnyFunction>(query: Query, options: ClaudeOptions = {}): Query {
  demandOption(
    typeof query === 'function',
    'observedQuery: query must be a function: pass sdk.query, or the module to instrumentClaude.',
  );
  checkOptions('observedQuery', options, KNOWN_OPTIONS);
  return queryOf(query, new Observing(options));
}

function queryOf<Query extends AnyFunction>(query: Query, observing: Observing): Query {
  const { guard } = observing;
  const observed = function (this: unknown, params: unknown, ...rest: unknown[]): unknown {
    const prepared = guard.safely(() => observing.prepare(fieldsOf(params).options, fieldsOf(params).prompt));
    const given = prepared === undefined ? params : withFields(params, { options: prepared.options });
    const result = query.apply(this, [given, ...rest] as never);
    if (prepared !== undefined && typeof result === 'object' && result !== null) {
      guard.safely(() => observing.follow(result, prepared.run, prepared.hides));
    }
    return result;
  };
  return observed as unknown as Query;
}

/** `startup` of the SDK, of the same type: the query that it prepares is observed. */
function observedStartup<Startup extends AnyFunction>(startup: Startup, observing: Observing): Startup {
  const { guard } = observing;
  const observed = function (this: unknown, params: unknown, ...rest: unknown[]): unknown {
    const prepared = guard.safely(() => observing.prepare(fieldsOf(params).options, undefined));
    const given = prepared === undefined ? params : withFields(params, { options: prepared.options });
    const result = startup.apply(this, [given, ...rest] as never) as Promise<Record<string, unknown>>;
    if (prepared === undefined) return result;
    return result.then((warm) => {
      guard.safely(() => {
        const query = warm.query as (...args: unknown[]) => object;
        warm.query = (...args: unknown[]) => {
          const started = query.apply(warm, args);
          guard.safely(() => observing.follow(started, prepared.run, prepared.hides));
          return started;
        };
      });
      return warm;
    });
  };
  return observed as unknown as Startup;
}

/**
 * The module `@anthropic-ai/claude-agent-sdk`, of the same type, with a `query` and a `startup` that are observed. All else in it is
 * the SDK's own.
 *
 * @throws ObserverError for a wrong option, where it is no such module, or where no `observer` is given and the environment has a
 * wrong setting.
 */
export function instrumentClaude<Sdk extends object>(sdk: Sdk, options: ClaudeOptions = {}): Sdk {
  const { query, startup } = fieldsOf(sdk) as { query?: AnyFunction; startup?: AnyFunction };
  demandOption(
    typeof query === 'function' || typeof startup === 'function',
    "instrumentClaude: sdk has no query: pass what import * as sdk from '@anthropic-ai/claude-agent-sdk' gives.",
  );
  checkOptions('instrumentClaude', options, KNOWN_OPTIONS);
  const observing = new Observing(options);
  return {
    ...sdk,
    ...(typeof query === 'function' ? { query: queryOf(query, observing) } : {}),
    ...(typeof startup === 'function' ? { startup: observedStartup(startup, observing) } : {}),
  };
}

/**
 * Options for a `query` that cannot be wrapped, of the same type. Hooks tell of turns, tools, subagents and approvals, and of nothing
 * that only messages have: requests, tokens, how a turn failed.
 *
 * @throws ObserverError for a wrong option, or where no `observer` is given and the environment has a wrong setting.
 */
export function withObserver<Options extends object>(options: Options, own: ClaudeOptions = {}): Options {
  demandOption(
    !isHost(options) && !isHost(fieldsOf(options).observer),
    'withObserver: pass the options of query first, and then { observer }.',
  );
  checkOptions('withObserver', own, KNOWN_OPTIONS);
  const observing = new Observing(own);
  return (observing.guard.safely(() => observing.options(options)) ?? options) as Options;
}

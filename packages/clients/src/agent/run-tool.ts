import {
  type AdapterTool,
  type AdapterTurn,
  failureIn,
  type Guard,
  isPromise,
  type ScopeStore,
} from '@hermes-observer/adapter';
import { fieldsOf } from '../answer/fields.js';

/** Calls that a person did not allow, each with what asking threw, if it did. */
const refused = new WeakMap<AdapterTool, readonly unknown[]>();

/** The call does not run: a person said so, or asking one threw. */
export const refuse = (tool: AdapterTool, ...thrown: [] | [unknown]): void => void refused.set(tool, thrown);

/** A block of Anthropic's, and a result of MCP, say themselves that the call failed. */
const isErrorResult = (value: unknown): boolean => {
  const { is_error, isError } = fieldsOf(value);
  return is_error === true || isError === true;
};

/**
 * Calls `fn` once with the span of a call as the active one, and ends the call with what comes of it. Gives what `fn` gives;
 * what it throws goes to `thrown` as well.
 */
export function runTool<T>(
  { scopes, guard }: { readonly scopes: ScopeStore; readonly guard: Guard },
  turn: AdapterTurn,
  tool: AdapterTool,
  fn: () => T,
  thrown?: (error: unknown) => void,
): T {
  const ended = (result: unknown) => {
    const isError = guard.safely(() => isErrorResult(result)) === true;
    guard.safely(() => {
      if (refused.has(tool)) tool.end({ status: 'blocked', errorType: 'user_denied', result });
      else if (isError) tool.end({ status: 'error', errorType: 'tool_error', result });
      else tool.end({ status: 'ok', result });
    });
  };
  const failed = (error: unknown): never => {
    thrown?.(error);
    guard.safely(() => {
      // A tool says in its own way that it was denied; where nobody could be asked, that is what failed.
      if (refused.get(tool)?.includes(error) === false) {
        tool.end({ status: 'blocked', errorType: 'user_denied', errorMessage: failureIn(error).message });
      } else tool.failed(error);
    });
    throw error;
  };
  let value: T;
  try {
    value = scopes.run({ turn, tool }, fn);
  } catch (error) {
    return failed(error);
  }
  if (typeof guard.safely(() => fieldsOf(value).then) !== 'function') {
    ended(value);
    return value;
  }
  // What `then` of another thenable returns may be anything; whoever awaits one looks only at what it is told.
  const settles = isPromise(value) ? value : Promise.resolve(value as PromiseLike<unknown>);
  return settles.then((result) => {
    ended(result);
    return result;
  }, failed) as T;
}

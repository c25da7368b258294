import { isPromise } from '@hermes-observer/adapter';
import { fieldsOf, listOf, textOf } from '../answer/fields.js';
import { type Method, replaceMethod } from '../client/patched-client.js';
import { AgentLoop, loopWatcherOf } from './agent-loop.js';
import { copied } from './copied.js';

type Fn = (this: unknown, ...args: unknown[]) => unknown;

/** Has `runTools` of OpenAI's chat completions tell of its tools. */
export const patchRunTools = (prototype: object): void => replaceMethod(prototype, 'runTools', observedRunTools);

const observedRunTools = (runTools: Method): Method =>
  function (this: object, body, ...rest) {
    const watcher = loopWatcherOf(this);
    const loop = watcher?.guard.safely(() => new AgentLoop(watcher, body));
    if (watcher === undefined || loop === undefined) return runTools.call(this, body, ...rest);
    const { guard } = watcher;
    const observed = guard.safely(() => withTools(body, loop)) ?? body;
    let runner: unknown;
    try {
      runner = loop.run(() => runTools.call(this, observed, ...rest));
    } catch (error) {
      guard.safely(() => loop.ended({ error }));
      throw error;
    }
    guard.safely(() => {
      const { on } = fieldsOf(runner) as { on: Method };
      // A listener of `error` would change what becomes of one that nobody handles.
      on.call(runner as object, 'end', () => guard.safely(() => loop.ended(endOf(runner, loop))));
    });
    return runner;
  };

function endOf(runner: unknown, { thrown }: AgentLoop) {
  const { errored, aborted } = fieldsOf(runner);
  const hasFailed = errored === true && aborted !== true;
  return {
    error: hasFailed ? (thrown ?? new Error('The runner failed.')) : undefined,
    isInterrupted: aborted === true,
  };
}

function withTools(body: unknown, loop: AgentLoop): unknown {
  const { tools } = fieldsOf(body);
  return Array.isArray(tools) ? { ...fieldsOf(body), tools: tools.map((tool) => observedTool(tool, loop)) } : body;
}

/** A tool as `{ type: 'function', function: { name, function, parse } }`, or one that a schema library made. */
function observedTool(tool: unknown, loop: AgentLoop): unknown {
  const { type, function: definition, $callback, $parseRaw } = fieldsOf(tool);
  if (type !== 'function') return tool;
  const { name, function: fn, parse } = fieldsOf(definition);
  if (typeof $callback === 'function') {
    const observed = observedFunction(loop, textOf(name) ?? '', $callback as Fn, $parseRaw, tool);
    return copied(tool as object, { $callback: observed.fn, $parseRaw: observed.parse });
  }
  if (typeof fn !== 'function') return tool;
  const observed = observedFunction(loop, textOf(name) ?? fn.name, fn as Fn, parse, definition);
  const replaced = { function: observed.fn, ...(parse === undefined ? {} : { parse: observed.parse }) };
  return copied(tool as object, { function: copied(definition as object, replaced) });
}

/** The runner gives a function its arguments and not the id of the call, which is found by the text they were made of. */
function observedFunction(loop: AgentLoop, name: string, fn: Fn, parse: unknown, holder: unknown) {
  const texts = new WeakMap<object, string>();
  const note = <T>(value: T, text: unknown): T => {
    if (typeof value === 'object' && value !== null && typeof text === 'string') texts.set(value, text);
    return value;
  };
  const current = (key: string, first: Fn): Fn => {
    const now = fieldsOf(holder)[key];
    return typeof now === 'function' ? (now as Fn) : first;
  };
  const observed: Fn = (...args) => {
    const [input, runner] = args;
    const info = () => {
      const text = typeof input === 'object' && input !== null ? texts.get(input) : textOf(input);
      return { name, callId: callIdOf(runner, name, text), args: argumentsOf(input) };
    };
    // What the program makes of its tool meanwhile counts.
    return loop.tool(info, () => current('function', fn).apply(holder, args));
  };
  Object.defineProperty(observed, 'name', { value: fn.name, configurable: true });
  const observedParse: Fn = (text, ...rest) => {
    const value = current('parse', parse as Fn).call(holder, text, ...rest);
    return isPromise(value) ? value.then((parsed: unknown) => note(parsed, text)) : note(value, text);
  };
  return { fn: observed, parse: typeof parse === 'function' ? observedParse : parse };
}

const taken = new WeakSet<object>();

/** Of the calls of this tool that the last message asks for, the first that has these arguments and does not run yet. */
function callIdOf(runner: unknown, name: string, text: string | undefined): string | undefined {
  const messages = listOf(fieldsOf(runner).messages);
  for (let i = messages.length - 1; i >= 0; i--) {
    const { role, tool_calls } = fieldsOf(messages[i]);
    if (role !== 'assistant') continue;
    const calls = listOf(tool_calls).filter(
      (call): call is object => fieldsOf(fieldsOf(call).function).name === name && !taken.has(call as object),
    );
    const call = calls.find((one) => fieldsOf(fieldsOf(one).function).arguments === text) ?? calls[0];
    if (call !== undefined) taken.add(call);
    return textOf(fieldsOf(call).id);
  }
  return undefined;
}

function argumentsOf(input: unknown): unknown {
  if (typeof input !== 'string') return input;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

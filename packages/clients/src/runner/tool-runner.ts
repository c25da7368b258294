import type { Guard } from '@hermes-observer/adapter';
import { fieldsOf, textOf } from '../answer/fields.js';
import { type Method, replaceMethod } from '../client/patched-client.js';
import { AgentLoop, loopWatcherOf } from './agent-loop.js';
import { copied } from './copied.js';

type Fn = (this: unknown, ...args: unknown[]) => unknown;

/** Has `toolRunner` of Anthropic's beta messages tell of its tools. */
export const patchToolRunner = (prototype: object): void => replaceMethod(prototype, 'toolRunner', observedToolRunner);

const observedToolRunner = (toolRunner: Method): Method =>
  function (this: object, body, ...rest) {
    const watcher = loopWatcherOf(this);
    if (watcher === undefined) return toolRunner.call(this, body, ...rest);
    const { guard } = watcher;
    let loop: AgentLoop | undefined;
    const started = () => {
      loop ??= guard.safely(() => new AgentLoop(watcher, body));
      return loop;
    };
    const observed = guard.safely(() => withTools(body, started)) ?? body;
    const runner = toolRunner.call(this, observed, ...rest) as AsyncIterable<unknown>;
    guard.safely(() => followLoop(runner, guard, started));
    return runner;
  };

function withTools(body: unknown, loop: () => AgentLoop | undefined): unknown {
  const { tools } = fieldsOf(body);
  return Array.isArray(tools) ? { ...fieldsOf(body), tools: tools.map((tool) => observedTool(tool, loop)) } : body;
}

function observedTool(tool: unknown, loop: () => AgentLoop | undefined): unknown {
  const { name, run } = fieldsOf(tool);
  if (typeof name !== 'string' || typeof run !== 'function') return tool;
  const observed: Fn = (...args) => {
    const [input, context] = args;
    const call = () => (run as Fn).apply(tool, args);
    const running = loop();
    if (running === undefined) return call();
    const info = () => {
      const { toolUse, toolUseBlock } = fieldsOf(context);
      return { name, callId: textOf(fieldsOf(toolUse ?? toolUseBlock).id), args: input };
    };
    return running.tool(info, call);
  };
  return copied(tool as object, { run: observed });
}

/** The loop is an iterator: it runs while somebody asks for its next message, `await runner` included. */
function followLoop(runner: AsyncIterable<unknown>, guard: Guard, started: () => AgentLoop | undefined): void {
  const iterate = runner[Symbol.asyncIterator].bind(runner);
  const value = () => {
    const inner = iterate();
    const loop = started();
    return loop === undefined ? inner : followIterator(inner, guard, loop);
  };
  Object.defineProperty(runner, Symbol.asyncIterator, { value, configurable: true, writable: true });
}

function followIterator(inner: AsyncIterator<unknown>, guard: Guard, loop: AgentLoop): AsyncIterator<unknown> {
  const next = async (...args: [] | [unknown]) => {
    try {
      const result = await loop.run(() => inner.next(...args));
      if (result.done === true) guard.safely(() => loop.ended());
      return result;
    } catch (error) {
      guard.safely(() => loop.ended({ error }));
      throw error;
    }
  };
  const left = async (value?: unknown) => {
    try {
      return await loop.run(async () => (await inner.return?.(value)) ?? { value, done: true });
    } finally {
      guard.safely(() => loop.ended());
    }
  };
  return Object.create(inner, { next: { value: next }, return: { value: left } });
}

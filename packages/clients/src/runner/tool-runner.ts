import type { Guard } from '@hermes-observer/adapter';
import { fieldsOf, listOf } from '../answer/fields.js';
import { type Method, replaceMethod } from '../client/patched-client.js';
import { AgentLoop, loopWatcherOf } from './agent-loop.js';
import { canFollow, followTool, isRunnable, standIn } from './followed-tool.js';

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

/** The program's own body, unless it has tools that cannot be followed as the objects they are. */
function withTools(body: unknown, loop: () => AgentLoop | undefined): unknown {
  const { tools } = fieldsOf(body);
  const isFixed = (tool: unknown): tool is object => isRunnable(tool) && !canFollow(tool);
  if (!Array.isArray(tools) || !tools.some(isFixed)) return body;
  return { ...fieldsOf(body), tools: tools.map((tool: unknown) => (isFixed(tool) ? standIn(tool, loop) : tool)) };
}

/** The tools of a runner: those it was given, and those that it gets later. */
class RunnerTools {
  readonly #runner: object;
  readonly #added: unknown[] = [];
  readonly #followed = new Map<object, () => void>();

  constructor(runner: object) {
    this.#runner = runner;
  }

  /** Some the runner does not have among its parameters. */
  add(tools: readonly unknown[]): void {
    this.#added.push(...tools);
  }

  follow(loop: AgentLoop): void {
    for (const tool of [...listOf(fieldsOf(fieldsOf(this.#runner).params).tools), ...this.#added])
      if (isRunnable(tool) && canFollow(tool) && !this.#followed.has(tool))
        this.#followed.set(tool, followTool(tool, loop));
  }

  end(): void {
    for (const end of this.#followed.values()) end();
    this.#followed.clear();
  }
}

/** The loop is an iterator: it runs while somebody asks for its next message, `await runner` included. */
function followLoop(runner: AsyncIterable<unknown>, guard: Guard, started: () => AgentLoop | undefined): void {
  const tools = new RunnerTools(runner);
  const methods = fieldsOf(runner);
  const replace = (name: PropertyKey, value: unknown) =>
    Object.defineProperty(runner, name, { value, configurable: true, writable: true });
  const iterate = runner[Symbol.asyncIterator].bind(runner);
  let loop: AgentLoop | undefined;
  replace(Symbol.asyncIterator, () => {
    const inner = iterate();
    loop = started();
    return loop === undefined ? inner : followIterator(inner, guard, loop, tools);
  });
  const { generateToolResponse: generate, addTools } = methods;
  if (typeof generate === 'function')
    replace('generateToolResponse', (...args: unknown[]) => {
      const call = () => Reflect.apply(generate, runner, args) as unknown;
      return loop === undefined ? call() : loop.run(call);
    });
  if (typeof addTools === 'function')
    replace('addTools', (...added: unknown[]) => {
      const result: unknown = Reflect.apply(addTools, runner, added);
      guard.safely(() => {
        tools.add(added);
        if (loop !== undefined) tools.follow(loop);
      });
      return result;
    });
}

function followIterator(
  inner: AsyncIterator<unknown>,
  guard: Guard,
  loop: AgentLoop,
  tools: RunnerTools,
): AsyncIterator<unknown> {
  const ended = (end?: { error: unknown }) => {
    guard.safely(() => loop.ended(end));
    guard.safely(() => tools.end());
  };
  const step = async (go: () => Promise<IteratorResult<unknown>>) => {
    try {
      guard.safely(() => tools.follow(loop));
      const result = await loop.run(go);
      if (result.done === true) ended();
      return result;
    } catch (error) {
      ended({ error });
      throw error;
    }
  };
  const next = (...args: [] | [unknown]) => step(() => inner.next(...args));
  const left = async (value?: unknown) => {
    try {
      return await loop.run(async () => (await inner.return?.(value)) ?? { value, done: true });
    } finally {
      guard.safely(() => loop.left());
      guard.safely(() => tools.end());
    }
  };
  const { throw: fail } = inner;
  // Generators take these only as their own methods.
  const thrown = fail && ((error: unknown) => step(() => Reflect.apply(fail, inner, [error])));
  return Object.create(inner, { next: { value: next }, return: { value: left }, throw: { value: thrown } });
}

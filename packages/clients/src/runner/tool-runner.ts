import { fieldsOf } from '../answer/fields.js';
import { replaceMethod, watchersOf } from '../client/patched-client.js';
import { AgentLoop } from './agent-loop.js';
import { copied } from './copied.js';

type Fn = (this: unknown, ...args: unknown[]) => unknown;

/** Has `toolRunner` of Anthropic's beta messages tell of its tools. */
export function patchToolRunner(prototype: object): void {
  replaceMethod(
    prototype,
    'toolRunner',
    (toolRunner) =>
      function (this: object, body, ...rest) {
        const { _client: client } = this as { _client?: object };
        const watcher = client === undefined ? undefined : watchersOf(client).find((one) => !one.yields(client));
        if (watcher === undefined) return toolRunner.call(this, body, ...rest);
        const { guard } = watcher;
        let loop: AgentLoop | undefined;
        const started = () => {
          loop ??= guard.safely(() => new AgentLoop(watcher, body));
          return loop;
        };
        const observed = guard.safely(() => withTools(body, started)) ?? body;
        const runner = toolRunner.call(this, observed, ...rest) as AsyncIterable<unknown>;
        guard.safely(() => followLoop(runner, started));
        return runner;
      },
  );
}

function withTools(body: unknown, loop: () => AgentLoop | undefined): unknown {
  const { tools } = fieldsOf(body);
  return Array.isArray(tools) ? { ...fieldsOf(body), tools: tools.map((tool) => observedTool(tool, loop)) } : body;
}

function observedTool(tool: unknown, loop: () => AgentLoop | undefined): unknown {
  const { name, run } = fieldsOf(tool);
  if (typeof name !== 'string' || typeof run !== 'function') return tool;
  const observed: Fn = (...args) => {
    const [input, context] = args;
    const { toolUse, toolUseBlock } = fieldsOf(context);
    const { id } = fieldsOf(toolUse ?? toolUseBlock);
    const call = () => (run as Fn).apply(tool, args);
    return loop()?.tool(name, id as string | undefined, input, call) ?? call();
  };
  return copied(tool as object, { run: observed });
}

/** The loop is an iterator: it runs while somebody asks for its next message, `await runner` included. */
function followLoop(runner: AsyncIterable<unknown>, started: () => AgentLoop | undefined): void {
  const iterate = runner[Symbol.asyncIterator].bind(runner);
  const value = () => {
    const inner = iterate();
    const loop = started();
    if (loop === undefined) return inner;
    return Object.create(inner, {
      next: {
        value: (...args: [] | [unknown]) =>
          loop
            .run(() => inner.next(...args))
            .then(
              (result) => {
                if (result.done === true) loop.ended();
                return result;
              },
              (error: unknown) => {
                loop.ended({ error });
                throw error;
              },
            ),
      },
      return: {
        value: (result?: unknown) => {
          const left = loop.run(() => inner.return?.(result) ?? Promise.resolve({ value: result, done: true }));
          return left.finally(() => loop.ended());
        },
      },
    });
  };
  Object.defineProperty(runner, Symbol.asyncIterator, { value, configurable: true, writable: true });
}

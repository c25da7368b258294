import type { Line } from './replay.test-support.js';
import type { Fields, Query, Sdk } from './stage.test-support.js';

type Callback = (...args: unknown[]) => unknown;

/** Of the first message of a session, what says nothing of the machine. */
const INIT = ['type', 'subtype', 'session_id', 'model', 'permissionMode', 'claude_code_version', 'tools', 'uuid'];

const EVENTS = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Stop',
  'StopFailure',
];

/** A `query` that hands `line` all that happens in it: hooks, questions, calls of servers of this process, messages, its end. */
export function recordedQuery(query: Sdk['query'], line: (line: Line) => void): Sdk['query'] {
  return (params) => {
    const options = params.options ?? {};
    const noted = async (hook: Fields, id: string | undefined) => {
      line({ hook, id: id as string });
      return {};
    };
    const hooks = { ...(options.hooks as Record<string, unknown[]> | undefined) };
    for (const event of EVENTS) hooks[event] = [{ hooks: [noted] }, ...(hooks[event] ?? [])];
    const canUseTool = options.canUseTool as Callback | undefined;
    const { signal } = (options.abortController ?? {}) as { signal?: AbortSignal };
    signal?.addEventListener('abort', () => line({ aborted: true }), { once: true });
    const inner = query({
      ...params,
      options: {
        ...options,
        hooks,
        ...(canUseTool === undefined
          ? {}
          : {
              canUseTool: (name: string, input: Fields, { signal: _, ...more }: Fields) => {
                line({ ask: { name, input, options: more } });
                return canUseTool(name, input, { signal: _, ...more });
              },
            }),
        mcpServers: Object.fromEntries(
          Object.entries((options.mcpServers ?? {}) as Record<string, Fields>).map(([name, server]) => [
            name,
            { ...server, instance: recordedInstance(name, server.instance as Fields, line) },
          ]),
        ),
      },
    });
    const read = async function* (): AsyncGenerator<Fields, void> {
      try {
        for await (const message of inner) {
          const isInit = message.subtype === 'init';
          line({ message: isInit ? Object.fromEntries(INIT.map((key) => [key, message[key]])) : message });
          yield message;
        }
      } catch (error) {
        const { name, message } = error as Error;
        line({ throws: { name, message } });
        throw error;
      }
    };
    return Object.assign(read(), {
      interrupt: () => {
        line({ interrupted: true });
        return inner.interrupt();
      },
    }) as Query;
  };
}

function recordedInstance(server: string, instance: Fields, line: (line: Line) => void): unknown {
  return new Proxy(instance, {
    get: (target, name) => {
      if (name !== 'connect') return Reflect.get(target, name, target);
      return (transport: { onmessage?: Callback }) => {
        const connected = (target.connect as Callback)(transport);
        const heard = transport.onmessage as Callback;
        transport.onmessage = (message, ...rest) => {
          line({ mcp: { server, message: message as Fields } });
          return heard(message, ...rest);
        };
        return connected;
      };
    },
  });
}

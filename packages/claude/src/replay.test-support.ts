import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Fields, Query, Sdk, Stage } from './stage.test-support.js';

/** One thing that happened in a query: see `recordedQuery`. */
export interface Line {
  readonly hook?: Fields;
  readonly id?: string;
  readonly ask?: { readonly name: string; readonly input: Fields; readonly options: Fields };
  readonly mcp?: { readonly server: string; readonly message: Fields };
  readonly message?: Fields;
  readonly aborted?: true;
  readonly interrupted?: true;
  readonly throws?: { readonly name: string; readonly message: string };
}

type Callback = (...args: unknown[]) => unknown;
const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 1));

/** The SDK, as far as plays use it, that does what was recorded; in the order of the recording, without its pauses. */
export function replaySdk(lines: readonly Line[]): Sdk {
  return {
    query: ({ options = {} }) => new Replay(lines, options).query,
    tool: (name, description, schema, run, more) => ({ name, description, schema, run, more }),
    createSdkMcpServer: ({ name, tools }) => {
      const instance = new McpServer({ name, version: '1.0.0' });
      for (const { name: tool, description, schema, run } of tools as Record<string, never>[])
        instance.registerTool(tool as unknown as string, { description, inputSchema: schema } as never, run as never);
      return { type: 'sdk', name, instance };
    },
  };
}

class Replay {
  readonly query: Query;
  readonly #lines: readonly Line[];
  readonly #options: Fields;
  readonly #servers = new Map<string, Fields>();
  readonly #running = new Map<string, () => void>();
  #interrupt: () => void = () => {};
  readonly #interrupted = new Promise<void>((resolve) => {
    this.#interrupt = resolve;
  });

  constructor(lines: readonly Line[], options: Fields) {
    this.#lines = lines;
    this.#options = options;
    // As the SDK: it goes on whether or not somebody reads.
    const messages: Fields[] = [];
    let wake = () => {};
    let end: { error?: unknown } | undefined;
    const all = this.#play((message) => {
      messages.push(message);
      wake();
    }).then(
      () => {
        end = {};
        wake();
      },
      (error: unknown) => {
        end = { error };
        wake();
      },
    );
    const read = async function* (): AsyncGenerator<Fields, void> {
      for (;;) {
        const next = messages.shift();
        if (next !== undefined) yield next;
        else if (end === undefined)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        else if (end.error !== undefined) throw end.error;
        else return void (await all);
      }
    };
    this.query = Object.assign(read(), {
      interrupt: async () => {
        this.#interrupt();
        return undefined;
      },
    });
  }

  async #play(tell: (message: Fields) => void): Promise<void> {
    for (const { hook, id, ask, mcp, message, aborted, interrupted, throws } of this.#lines) {
      await soon();
      if (hook !== undefined) await this.#hook(hook, id);
      if (ask !== undefined) await this.#ask(ask);
      if (mcp !== undefined) await this.#mcp(mcp.server, mcp.message);
      if (message !== undefined && (this.#options.includePartialMessages === true || !isPartial(message)))
        tell(message);
      if (aborted === true) await this.#aborted();
      if (interrupted === true) await this.#interrupted;
      if (throws !== undefined) throw Object.assign(new Error(throws.message), { name: throws.name });
    }
  }

  async #hook(event: Fields, id: string | undefined): Promise<void> {
    const callId = String(event.tool_use_id);
    // Claude Code tells of a call when it has what that gave.
    if (event.hook_event_name !== 'PreToolUse') await this.#running.get(callId);
    const { signal } = new AbortController();
    const entries = ((this.#options.hooks ?? {}) as Record<string, { matcher?: string; hooks: Callback[] }[]>)[
      String(event.hook_event_name)
    ];
    const callbacks = (entries ?? [])
      .filter(({ matcher }) => matcher === undefined || matcher === event.tool_name)
      .flatMap(({ hooks }) => hooks);
    await Promise.all(callbacks.map((callback) => Promise.resolve(callback(event, id, { signal })).catch(() => {})));
  }

  async #ask({ name, input, options }: NonNullable<Line['ask']>): Promise<void> {
    const { signal } = new AbortController();
    await (this.#options.canUseTool as Callback)(name, input, { ...options, signal });
  }

  /** A message of Claude Code to a server of this process. Calls run on while more happens. */
  async #mcp(name: string, message: Fields): Promise<void> {
    let server = this.#servers.get(name);
    if (server === undefined) {
      const { instance } = (this.#options.mcpServers as Record<string, { instance: McpServer }>)[name] as {
        instance: McpServer;
      };
      server = {
        start: async () => {},
        close: async () => {},
        send: async (answer: Fields) => this.#running.get(String(answer.id))?.(),
      };
      this.#servers.set(name, server);
      await instance.connect(server as never);
    }
    const params = message.params as { _meta?: Fields } | undefined;
    const callId = params?._meta?.['claudecode/toolUseId'];
    const done = new Promise<void>((resolve) => this.#running.set(String(message.id), resolve));
    if (callId !== undefined) this.#running.set(String(callId), done as never);
    (server.onmessage as Callback)(message);
    if (callId === undefined && message.id !== undefined) await done;
  }

  async #aborted(): Promise<void> {
    const { signal } = this.#options.abortController as AbortController;
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
}

const isPartial = ({ type, subtype, status }: Fields) =>
  type === 'stream_event' || (type === 'system' && subtype === 'status' && status === 'requesting');

/** Plays are those that were recorded into this folder. */
export function replayStage(folder: URL): Stage {
  return {
    open: async (play) => {
      const text = readFileSync(new URL(`${play}.ndjson`, folder), 'utf8');
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      return { sdk: replaySdk(lines), options: {}, close: async () => {} };
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { StandardWebhook } from '@hermes-observer/policy';
import { LineClient } from '../../../packages/cli/src/listeners/memory-service.test-support.js';
import { type CommandResult, runNode, TOP } from '../../run-command.js';

export type Told = Record<string, unknown>;

const BIN = join(TOP, 'packages/cli/bin/hermes-observer.js');

/** The real `hermes-observer serve` in a process of its own, and agents of a few lines. One folder for all its starts. */
export class ServeProcess {
  readonly folder = mkdtempSync(join(tmpdir(), 'pitfalls-'));
  readonly policy = join(this.folder, 'policy.yaml');
  readonly socket = join(this.folder, 's.sock');
  readonly spans = join(this.folder, 'spans.jsonl');
  output = '';
  url = '';
  #child: ChildProcess | undefined;
  #exited: Promise<number | null> = Promise.resolve(null);
  readonly #clients: LineClient[] = [];
  #asked = 0;
  #seq = 0;

  file(name: string, content: string): string {
    writeFileSync(join(this.folder, name), content, { mode: 0o600 });
    return join(this.folder, name);
  }

  /** Resolves when it listens; rejects with its exit code and what it said when it does not. */
  async start(yaml?: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<void> {
    if (yaml !== undefined) this.file('policy.yaml', yaml);
    rmSync(this.socket, { force: true });
    const all = ['serve', ...this.places, '--port', '0', '--otlp-file', this.spans, ...args];
    const child = spawn(process.execPath, [BIN, ...all], {
      env: { PATH: process.env.PATH ?? '', HOME: this.folder, ...env },
    });
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', resolve));
    const begin = this.output.length;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data: Buffer) => {
        this.output += data.toString();
      });
    }
    const isUp = () => /^exporter /m.test(this.output.slice(begin));
    const code = await Promise.race([this.#exited, until(isUp).then(() => undefined)]);
    if (code !== undefined) throw new Error(`serve ended with ${code}: ${this.output.slice(begin)}`);
    this.url = /^http +(\S+),/m.exec(this.output.slice(begin))?.[1] ?? '';
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child?.kill(signal);
    await this.#exited;
  }

  async end(): Promise<void> {
    for (const client of this.#clients) client.socket.destroy();
    await this.stop('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  get places(): string[] {
    return ['--data', join(this.folder, 'data'), '--socket', this.socket, '--policy', this.policy];
  }

  client(): LineClient {
    const client = new LineClient(this.socket);
    this.#clients.push(client);
    return client;
  }

  ask(client: LineClient, payload: object, deadline = 20_000): Promise<Told> {
    const id = `q${++this.#asked}`;
    client.send(`${JSON.stringify({ op: 'ask', id, hook: 'pre_tool_call', deadline_ms: deadline, payload })}\n`);
    return client.until(({ answer }) => answer === id);
  }

  record(client: LineClient, hook: string, payload: object): void {
    const record = { hook, time_unix_nano: `${Date.now()}000000`, producer: 'agent', seq: ++this.#seq, payload };
    client.send(`${JSON.stringify(record)}\n`);
  }

  command(name: string, ...args: readonly string[]): Promise<CommandResult> {
    return runNode([BIN, 'policy', name, ...args, ...this.places], { env: { HOME: this.folder } });
  }

  /** Requests that wait, once there are so many. */
  async pending(count = 1): Promise<{ id: string; digest: string; tool: string; callId: string }[]> {
    for (const end = Date.now() + 15_000; Date.now() < end; ) {
      const { stdout } = await this.command('pending', '--json');
      const { pending } = JSON.parse(stdout) as {
        pending: { id: string; digest: string; tool: string; callId: string }[];
      };
      if (pending.length >= count) return pending;
    }
    throw new Error(`${count} requests do not wait`);
  }

  async approve(): Promise<CommandResult> {
    const [first] = await this.pending();
    return this.command('approve', first?.id ?? '', '--digest', first?.digest ?? '');
  }

  /** All that was sent as spans. */
  sent(): string {
    return existsSync(this.spans) ? readFileSync(this.spans, 'utf8') : '';
  }
}

export const call = (tool: string, args: object, more: object = {}) => ({
  ...{ session_id: 's1', turn_id: 't1', task_id: '', tool_call_id: 'c1', tool_name: tool, args },
  ...more,
});

export async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !holds(); ) {
    if (Date.now() > end) throw new Error('waited for 20 s');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export interface Message {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The other side of a webhook channel: a real HTTP server that keeps what it is sent, and answers. */
export class Hook {
  readonly messages: Message[] = [];
  readonly bodies: string[] = [];
  readonly secret: string;
  readonly #server: Server;

  private constructor(server: Server, seed: number) {
    this.#server = server;
    this.secret = `whsec_${Buffer.alloc(32, seed).toString('base64')}`;
  }

  static async open(seed = 1): Promise<Hook> {
    const server = createServer();
    const hook = new Hook(server, seed);
    server.on('request', async (request, response) => {
      const body = await text(request);
      hook.bodies.push(body);
      hook.messages.push(JSON.parse(body) as Message);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hook;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async requested(count = 1): Promise<Message['data']> {
    const asked = () => this.messages.filter(({ type }) => type === 'approval.requested');
    await until(() => asked().length >= count);
    return asked()[count - 1]?.data ?? {};
  }

  /** Posts a signed answer to the callbacks of a channel. */
  answer(serve: ServeProcess, channel: string, data: object, signedBy: Hook = this): Promise<Response> {
    const body = JSON.stringify({ type: 'approval.answer', data });
    const signed = new StandardWebhook('test', [signedBy.secret]).sign(StandardWebhook.newId(), body, Date.now());
    return fetch(`${serve.url}/approvals/callbacks/${channel}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
    });
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

export const answerTo = (data: Message['data'], more: object = {}) => ({
  approval_id: data.approval_id,
  token: data.token,
  message_id: data.message_id,
  approver: 'anna',
  choice: 'approve',
  ...more,
});

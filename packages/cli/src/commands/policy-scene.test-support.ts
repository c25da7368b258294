import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../config/load-config.js';
import { LineClient } from '../listeners/memory-service.test-support.js';
import { Service } from '../service/service.js';
import { RunningService } from './run-service.js';

export type Told = Record<string, unknown>;

/** A service with a policy, in this process: real socket, real HTTP, real files, one folder for all its starts. */
export class PolicyScene {
  readonly folder = mkdtempSync(join(tmpdir(), 'policy-'));
  readonly data = join(this.folder, 'data');
  readonly socket = join(this.folder, 'run.sock');
  readonly spanFile = join(this.folder, 'spans.jsonl');
  readonly policy = join(this.folder, 'policy.yaml');
  readonly said: string[] = [];
  running: RunningService | undefined;
  service: Service | undefined;
  readonly #clients: LineClient[] = [];
  #asked = 0;
  #seq = 0;

  async start(yaml?: string): Promise<void> {
    if (yaml !== undefined) writeFileSync(this.policy, yaml, { mode: 0o600 });
    const config = await loadConfig({
      flags: { data: this.data, socket: this.socket, policy: this.policy, 'http.port': '0', capture: 'full' },
      exporters: [{ name: 'file', file: this.spanFile }],
      env: { HOME: this.folder, HERMES_OBSERVER_CONFIG: '' },
    });
    const open = async (options: Parameters<typeof Service.open>[0]) => {
      this.service = await Service.open(options);
      return this.service;
    };
    this.running = await RunningService.start(config, open, (text) => void this.said.push(text));
  }

  async stop(): Promise<void> {
    await this.running?.stop();
    this.running = undefined;
  }

  async end(): Promise<void> {
    for (const client of this.#clients) client.socket.destroy();
    await this.stop();
  }

  get url(): string {
    return this.running?.listeners.http?.url ?? '';
  }

  get token(): string {
    return readFileSync(join(this.data, 'token'), 'utf8').split('\n', 1)[0] ?? '';
  }

  client(): LineClient {
    const client = new LineClient(this.socket);
    this.#clients.push(client);
    return client;
  }

  /** Puts a question; resolves with the answer. */
  ask(client: LineClient, payload: object, { hook = 'pre_tool_call', deadline = 8_000 } = {}): Promise<Told> {
    const id = `q${++this.#asked}`;
    client.send(`${JSON.stringify({ op: 'ask', id, hook, deadline_ms: deadline, payload })}\n`);
    return client.until(({ answer }) => answer === id);
  }

  /** Hands a record over, as an agent does. */
  record(client: LineClient, hook: string, payload: object, producer = 'agent'): void {
    const record = { hook, time_unix_nano: `${Date.now()}000000`, producer, seq: ++this.#seq, payload };
    client.send(`${JSON.stringify(record)}\n`);
  }

  /** An operation of a command. */
  async operate(client: LineClient, operation: object): Promise<Told> {
    const id = `o${++this.#asked}`;
    client.send(`${JSON.stringify({ op: 'policy', id, ...operation })}\n`);
    const told = await client.until((line) => line.id === id);
    return told.policy as Told;
  }

  async approve(client: LineClient, choice: 'approve' | 'reject' = 'approve', comment = ''): Promise<Told> {
    const [first] = (await this.operate(client, { action: 'pending' })).pending as Told[];
    return this.operate(client, { action: 'decide', approval: first?.id, digest: first?.digest, choice, comment });
  }

  async counts(): Promise<string> {
    const answer = await fetch(`${this.url}/metrics`, { headers: { authorization: `Bearer ${this.token}` } });
    return answer.text();
  }

  /** Spans that were sent so far, by name. */
  async spans(): Promise<
    {
      name: string;
      events: { name: string; attributes: Record<string, unknown> }[];
      attributes: Record<string, unknown>;
    }[]
  > {
    await this.service?.settled();
    if (!existsSync(this.spanFile)) return [];
    const lines = readFileSync(this.spanFile, 'utf8').split('\n').filter(Boolean);
    return lines.flatMap((line) =>
      (JSON.parse(line) as OtlpRequest).resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) =>
          spans.map(({ name, events = [], attributes }) => ({
            name,
            attributes: plain(attributes),
            events: events.map((event) => ({ name: event.name, attributes: plain(event.attributes) })),
          })),
        ),
      ),
    );
  }
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly attributes: Attributes;
        readonly events?: readonly { readonly name: string; readonly attributes: Attributes }[];
      }[];
    }[];
  }[];
}

const plain = (attributes: Attributes) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Hub, type Payload, type PluginHub, parseRecord } from '@hermes-observer/core';
import {
  Approvals,
  type BaseChannel,
  CallbackServer,
  createPolicy,
  FileStore,
  type Policy,
  type PolicyHook,
} from '@hermes-observer/policy';
import { ListenerContext } from '../../../packages/cli/src/listeners/listener-context.js';
import { Listeners } from '../../../packages/cli/src/listeners/listeners.js';
import type { AskPort } from '../../../packages/cli/src/service/ports.js';
import { Service } from '../../../packages/cli/src/service/service.js';
import type { OtlpTraces } from '../../jaeger/otlp-json.js';
import { type SpanFacts, spanFacts } from '../../jaeger/span-facts.js';

const MIB = 1024 * 1024;

/** A hub whose plugins' own records go the way of all others, so that they become spans. */
function throughJournal(service: Service): Pick<Hub, 'use'> {
  let seq = 0;
  const emit = (hook: string, payload: Payload) => {
    const record = { hook, producer: 'policy', seq: ++seq, time_unix_nano: `${Date.now()}000000`, payload };
    const line = Buffer.from(JSON.stringify(record));
    const parsed = parseRecord(line.toString()).record;
    if (parsed === undefined) throw new Error(`no record: ${line}`);
    void service.take({ lines: [line], records: [parsed] });
  };
  return {
    use: (plugin) =>
      service.hub.use({
        ...plugin,
        setup: (hub) => plugin.setup({ on: hub.on.bind(hub), respond: hub.respond.bind(hub), emit } as PluginHub),
      }),
  };
}

/** A question about a call as it came. */
export interface Asked {
  readonly tool: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * The service as `serve` has it (journal, spans, listeners), with hooks that a test gives it: the socket and the data are in a
 * folder that agents share.
 */
export class PolicyService {
  readonly asked: Asked[] = [];
  readonly callbacks: CallbackServer | undefined;
  readonly approvals: Approvals | undefined;
  readonly policy: Policy;
  readonly #service: Service;
  readonly #shared: string;
  #listeners: Listeners | undefined;

  private constructor(
    shared: string,
    service: Service,
    policy: Policy,
    approvals: Approvals | undefined,
    callbacks: CallbackServer | undefined,
  ) {
    this.#shared = shared;
    this.#service = service;
    this.policy = policy;
    this.approvals = approvals;
    this.callbacks = callbacks;
  }

  static async start(shared: string, hooks: readonly PolicyHook[], channel?: BaseChannel): Promise<PolicyService> {
    mkdirSync(join(shared, 'run'), { recursive: true, mode: 0o700 });
    const service = await Service.open({
      dataFolder: join(shared, 'service'),
      exporters: [{ kind: 'file', name: 'spans', path: join(shared, 'spans.jsonl') }],
      capture: 'redacted',
      producerGraceMillis: 1_000,
      onWarning: () => {},
    });
    let approvals: Approvals | undefined;
    let callbacks: CallbackServer | undefined;
    if (channel !== undefined) {
      approvals = await Approvals.open({
        store: await FileStore.open(join(shared, 'approvals')),
        channels: [channel],
      });
      callbacks = await CallbackServer.open({ channels: [channel], decisions: approvals });
    }
    const policy = createPolicy({ hooks, approvals });
    policy.attach(throughJournal(service));
    const made = new PolicyService(shared, service, policy, approvals, callbacks);
    await made.listen();
    return made;
  }

  /** Agents reach it from now on. */
  async listen(): Promise<void> {
    const service = this.#service;
    const ask: AskPort = {
      ask: async (hook, payload, options) => {
        const given = payload as Readonly<Record<string, unknown>>;
        if (hook === 'pre_tool_call') this.asked.push({ tool: String(given.tool_name), payload: given });
        return { ...(await service.ask(hook, given, options)), policy: this.policy.name };
      },
    };
    const limits = {
      lineBytes: 16 * MIB,
      bodyBytes: 64 * MIB,
      unacknowledgedBytes: 4 * MIB,
      waitingBytes: 64 * MIB,
      connections: 1024,
    };
    const ports = { intake: service, ask, status: service, presence: service, refusals: service };
    const context = new ListenerContext(ports, limits, 'e2e');
    this.#listeners = await Listeners.open(
      { socket: join(this.#shared, 'run/observer.sock'), spoolFolder: join(this.#shared, 'data/forwarder') },
      context,
    );
  }

  /** Gone for agents, at once. */
  async vanish(): Promise<void> {
    await this.#listeners?.stop();
    this.#listeners?.closeConnections();
    this.#listeners = undefined;
  }

  /** The spans of a session so far, by when they began. */
  async spans(): Promise<SpanFacts[]> {
    await this.#service.settled();
    const path = join(this.#shared, 'spans.jsonl');
    if (!existsSync(path)) return [];
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    return lines
      .flatMap((line) => spanFacts(JSON.parse(line) as OtlpTraces))
      .sort((a, b) => (a.start < b.start ? -1 : 1));
  }

  async close(): Promise<void> {
    await this.vanish();
    await this.callbacks?.close();
    await this.policy.close();
    await this.approvals?.close();
    await this.#service.stop();
  }
}

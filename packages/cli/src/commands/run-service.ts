import { join } from 'node:path';
import type { HookRecord } from '@hermes-observer/core';
import type { SpanProcessor } from '@hermes-observer/otel';
import type { PolicyPlan } from '@hermes-observer/policy/config';
import type { Config } from '../config/load-config.js';
import { ownAddresses } from '../config/own-address.js';
import { otherSockets } from '../config/places.js';
import { serviceOptions } from '../config/service-options.js';
import { costProcessor } from '../cost/cost-processor.js';
import { connectionLimit } from '../listeners/connection-limit.js';
import type { FurtherRoutes } from '../listeners/http/further-routes.js';
import { ListenerContext } from '../listeners/listener-context.js';
import { Listeners } from '../listeners/listeners.js';
import { prepareSocketPlace } from '../listeners/socket/socket-place.js';
import { tokenOfFile } from '../listeners/token.js';
import { signalUrl } from '../output/traces-url.js';
import { JoinedRoutes } from '../policy/joined-routes.js';
import { LateDesk } from '../policy/late-desk.js';
import type {
  AskPort,
  HistoryPort,
  IntakePort,
  PresencePort,
  RefusalPort,
  StatusPort,
  TraceFollower,
} from '../service/ports.js';
import { Viewer } from '../viewer/viewer.js';
import { asWord, invocation } from './invocation.js';
import { VERSION } from './own-version.js';
import { viewerLines } from './viewer-lines.js';

/** The half of the service that keeps records and makes spans. */
export interface OpenService extends IntakePort, AskPort, StatusPort, PresencePort, RefusalPort, HistoryPort {
  /** Resolves when all that was taken so far is traced. */
  settled(): Promise<void>;
  /** Resolves when all that was taken is on disk, and sent as far as backends take it in time. */
  close(): Promise<void>;
}

export type OpenServiceBy = (
  options: ReturnType<typeof serviceOptions> & {
    readonly ownAddresses: readonly string[];
    readonly onWarning: (text: string) => void;
    readonly processors: readonly SpanProcessor[];
    readonly follower?: TraceFollower;
    readonly onRecords?: (records: readonly HookRecord[]) => void;
  },
) => Promise<OpenService>;

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** A service with everything that records come in by. */
export class RunningService {
  readonly listeners: Listeners;
  readonly #service: OpenService;
  readonly #config: Config;
  readonly #viewer: Viewer | undefined;
  readonly #policy: LateDesk | undefined;

  private constructor(
    listeners: Listeners,
    service: OpenService,
    config: Config,
    viewer: Viewer | undefined,
    policy: LateDesk | undefined,
  ) {
    this.listeners = listeners;
    this.#service = service;
    this.#config = config;
    this.#viewer = viewer;
    this.#policy = policy;
  }

  /** @throws ObserverError `HO_LISTEN_FAILED`, `HO_SERVICE_RUNNING`, `HO_STORE_LOCKED`, …; then nothing is left open. */
  static async start(
    config: Config,
    openService: OpenServiceBy,
    warn: (text: string) => void,
  ): Promise<RunningService> {
    const { values } = config;
    const [data, socket] = [values.data as string, values.socket as string];
    // Before the store: a second service is told of the first one by its socket, which says more.
    await prepareSocketPlace(socket);
    const { 'http.host': host, 'http.port': port } = values;
    const viewer = values.viewer && values['http.enabled'] ? new Viewer() : undefined;
    const plan = await policyPlan(config);
    const policy = plan === undefined ? undefined : new LateDesk();
    const options = serviceOptions(config);
    const processors = values.cost === false ? [] : [await costProcessor(values.cost)];
    const service = await openService({
      ...options,
      processors,
      ...(viewer !== undefined && { follower: viewer.feed }),
      ownAddresses: ownAddresses(values),
      ...(policy !== undefined && { onRecords: (records) => policy.saw(records) }),
      onWarning: warn,
    });
    let listeners: Listeners | undefined;
    try {
      const ask = policy ?? service;
      const ports = { intake: service, ask, status: service, presence: service, refusals: service, policy };
      const limits = {
        lineBytes: values['limits.line_bytes'],
        bodyBytes: values['limits.body_bytes'],
        unacknowledgedBytes: values['limits.unacknowledged_bytes'],
        waitingBytes: values['limits.waiting_bytes'],
        connections: connectionLimit(values['limits.connections'], options.exporters.length),
      };
      const context = new ListenerContext(ports, limits, VERSION, ({ message, code }) => warn(`${message} [${code}]`));
      const token = values.token ?? tokenOfFile(join(data, 'token'));
      const secret = values['webhook.secret'];
      const { capture, agentName, resourceAttributes } = options;
      const serviceName = values.service_name;
      const jaegerUrl = values.jaeger_url;
      const source = { history: service, capture, agentName, serviceName, resourceAttributes, processors, jaegerUrl };
      const pages = viewer?.routes(context, source);
      const further = policy === undefined ? pages : await withApprovals(policy, pages, context);
      listeners = await Listeners.open(
        {
          socket,
          otherSockets: isUsualPlace(config) ? otherSockets(data, socket) : [],
          spoolFolder: join(data, 'forwarder'),
          ...(values['http.enabled'] && {
            http: { host, port, token, allowedHosts: values['http.allowed_hosts'], further },
          }),
          ...(secret !== undefined && {
            webhooks: { secret, keepsContent: values.capture !== 'none', file: join(data, 'webhooks') },
          }),
        },
        context,
      );
      context.http = listeners.http?.url;
      if (plan !== undefined && policy !== undefined) {
        const { PolicyDesk } = await import('../policy/policy-desk.js');
        const { APPROVALS_PATH } = await import('../policy/approval-routes.js');
        const http = listeners.http?.url;
        policy.open(
          await PolicyDesk.open({
            plan,
            agentName: values.agent_name,
            intake: service,
            presence: service,
            ask: service,
            webUrl: http === undefined ? undefined : `${http}${APPROVALS_PATH}`,
            commandOf: (id) => answerCommand(id, config),
            notice: warn,
            warn,
          }),
        );
      }
      void viewer?.refill(source, warn);
      return new RunningService(listeners, service, config, viewer, policy);
    } catch (error) {
      await listeners?.stop();
      listeners?.closeConnections();
      await service.close();
      throw error;
    }
  }

  /** Where it listens, where the token is, and what it exports to. */
  lines(): string[] {
    const { values, origins, file, hasFile, ownEndpoint } = this.#config;
    const { http } = this.listeners;
    const exporters = values.exporters ?? [];
    const isShown = this.#viewer !== undefined && http !== undefined;
    const token = values.token === undefined ? join(values.data as string, 'token') : origins.token;
    return [
      `socket     ${this.listeners.socket.path}`,
      http === undefined ? 'http       off' : `http       ${http.url}, token in ${token}`,
      ...(this.#viewer === undefined || http === undefined ? [] : viewerLines(http.url, this.#config)),
      `data       ${values.data}`,
      `settings   ${hasFile ? file : `none; ${file} does not exist`}`,
      `content    ${values.capture}`,
      ...policyLines(this.#policy?.desk?.status(), http?.url),
      ...signalLines(values),
      ...(exporters.length === 0
        ? [
            `exporters  none: spans ${isShown ? 'are shown in the viewer only' : 'go nowhere'}; ${exporterAdvice(ownEndpoint)}`,
          ]
        : []),
      ...exporters.map(
        ({ name, url, file, folder }) => `exporter   ${name}: ${url === undefined ? (file ?? folder) : addressOf(url)}`,
      ),
    ];
  }

  /** What an operator should think about. */
  warnings(): string[] {
    const { values } = this.#config;
    const host = values['http.host'];
    if (!values['http.enabled'] || LOOPBACK.has(host)) return [];
    return [`http listens on ${host}: whoever reaches it and has the token can send records, and nothing is encrypted`];
  }

  /** Takes nothing more, and ends when all that was taken is safe. */
  async stop(): Promise<void> {
    this.#viewer?.stop();
    await this.listeners.stop();
    await this.#policy?.close();
    await this.#service.close();
    this.listeners.closeConnections();
  }
}

/** Read before anything is opened: a service with a faulty policy does not start. @throws ObserverError `HO_POLICY_CONFIG`. */
async function policyPlan({ values }: Config): Promise<PolicyPlan | undefined> {
  if (values.policy === undefined) return undefined;
  const { PolicyPlan } = await import('@hermes-observer/policy/config');
  return new PolicyPlan(values.policy, { state: join(values.data as string, 'policy') });
}

async function withApprovals(policy: LateDesk, pages: FurtherRoutes | undefined, { waiting }: ListenerContext) {
  const { ApprovalRoutes } = await import('../policy/approval-routes.js');
  const approvals = new ApprovalRoutes(() => policy.desk, waiting);
  return new JoinedRoutes([approvals, ...(pages === undefined ? [] : [pages])]);
}

function policyLines(status: Readonly<Record<string, unknown>> | undefined, http: string | undefined): string[] {
  if (status === undefined) return ['policy     none: tool calls are not decided about'];
  const { name, file, mode, hooks, channels } = status as { readonly channels: readonly string[] } & typeof status;
  const observed = mode === 'observe' ? ', which only observes' : '';
  const asks = channels.length === 0 ? 'asks nobody' : `asks through ${channels.join(', ')}`;
  const pages = http !== undefined && channels.includes('web') ? `; approvals at ${http}/approvals` : '';
  return [`policy     ${String(name)} (${String(file)}): ${String(hooks)} hooks${observed}; ${asks}${pages}`];
}

function signalLines(values: Config['values']): string[] {
  const { 'metrics.url': metrics, 'logs.url': logs } = values;
  return [
    ...(metrics === undefined ? [] : [`metrics    ${addressOf(signalUrl(metrics, 'metrics'))}`]),
    ...(logs === undefined ? [] : [`logs       ${addressOf(signalUrl(logs, 'logs'))}`]),
  ];
}

const exporterAdvice = (ownEndpoint: string | undefined) =>
  ownEndpoint === undefined
    ? 'set exporters, or OTEL_EXPORTER_OTLP_ENDPOINT'
    : `${ownEndpoint} is ignored: it names this service itself, for programs that send to it`;

/** A command for another terminal, which knows no flag and no variable of this one. */
function answerCommand(id: string, { values, origins }: Config): string {
  const places = (['data', 'socket'] as const)
    .filter((key) => origins[key] !== 'default')
    .map((key) => ` --${key} ${asWord(String(values[key]))}`);
  return `${invocation()} policy approve ${id}${places.join('')}`;
}

/** A service with data of its own must not take the records of agents that mean the usual one. */
const isUsualPlace = ({ origins }: Config) => origins.socket === 'default' && origins.data === 'default';

/** Without credentials. */
function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

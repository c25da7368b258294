import { join } from 'node:path';
import type { Config } from '../config/load-config.js';
import { otherSockets } from '../config/places.js';
import { serviceOptions } from '../config/service-options.js';
import { connectionLimit } from '../listeners/connection-limit.js';
import { ListenerContext } from '../listeners/listener-context.js';
import { Listeners } from '../listeners/listeners.js';
import { prepareSocketPlace } from '../listeners/socket/socket-place.js';
import { tokenOfFile } from '../listeners/token.js';
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
    readonly follower?: TraceFollower;
  },
) => Promise<OpenService>;

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** A service with everything that records come in by. */
export class RunningService {
  readonly listeners: Listeners;
  readonly #service: OpenService;
  readonly #config: Config;
  readonly #viewer: Viewer | undefined;

  private constructor(listeners: Listeners, service: OpenService, config: Config, viewer: Viewer | undefined) {
    this.listeners = listeners;
    this.#service = service;
    this.#config = config;
    this.#viewer = viewer;
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
    const options = serviceOptions(config);
    const service = await openService({
      ...options,
      ...(viewer !== undefined && { follower: viewer.feed }),
      ownAddresses: values['http.enabled'] && port !== 0 ? [`${host}:${port}`, `localhost:${port}`] : [],
      onWarning: warn,
    });
    try {
      const ports = { intake: service, ask: service, status: service, presence: service, refusals: service };
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
      const source = { history: service, capture, agentName, serviceName, resourceAttributes, jaegerUrl };
      const further = viewer?.routes(context, source);
      const listeners = await Listeners.open(
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
      void viewer?.refill(source, warn);
      return new RunningService(listeners, service, config, viewer);
    } catch (error) {
      await service.close();
      throw error;
    }
  }

  /** Where it listens, where the token is, and what it exports to. */
  lines(): string[] {
    const { values, origins, file, hasFile } = this.#config;
    const { http } = this.listeners;
    const exporters = values.exporters ?? [];
    const token = values.token === undefined ? join(values.data as string, 'token') : origins.token;
    return [
      `socket     ${this.listeners.socket.path}`,
      http === undefined ? 'http       off' : `http       ${http.url}, token in ${token}`,
      ...(this.#viewer === undefined || http === undefined ? [] : viewerLines(http.url, this.#config)),
      `data       ${values.data}`,
      `settings   ${hasFile ? file : `none; ${file} does not exist`}`,
      `content    ${values.capture}`,
      ...(exporters.length === 0
        ? ['exporters  none: spans go nowhere; set exporters, or OTEL_EXPORTER_OTLP_ENDPOINT']
        : []),
      ...exporters.map(
        ({ name, url, file: path }) => `exporter   ${name}: ${url === undefined ? path : addressOf(url)}`,
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
    await this.#service.close();
    this.listeners.closeConnections();
  }
}

/** A service with data of its own must not take the records of agents that mean the usual one. */
const isUsualPlace = ({ origins }: Config) => origins.socket === 'default' && origins.data === 'default';

/** Without credentials. */
function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

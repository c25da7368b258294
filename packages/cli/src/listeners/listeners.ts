import { HttpListener, type HttpOptions } from './http/http-listener.js';
import type { ListenerContext } from './listener-context.js';
import { SocketListener } from './socket/socket-listener.js';
import { SpoolPickup } from './spools/spool-pickup.js';
import { type WebhookOptions, WebhookReceiver } from './webhook/webhook-receiver.js';

export interface ListenerOptions {
  readonly socket: string;
  /** Further ones, for agents that look elsewhere. One that cannot be opened is left out. */
  readonly otherSockets?: readonly string[];
  /** Where forwarders leave what they cannot send. */
  readonly spoolFolder: string;
  /** Absent: no HTTP. */
  readonly http?: Omit<HttpOptions, 'webhooks'>;
  readonly webhooks?: WebhookOptions;
}

const CLOSE_MILLIS = 2_000;

/** Everything that hands records over. */
export class Listeners {
  readonly socket: SocketListener;
  readonly http: HttpListener | undefined;
  readonly #others: readonly SocketListener[];
  readonly #spools: SpoolPickup;
  readonly #webhooks: WebhookReceiver | undefined;

  private constructor(
    socket: SocketListener,
    others: readonly SocketListener[],
    http: HttpListener | undefined,
    spools: SpoolPickup,
    webhooks: WebhookReceiver | undefined,
  ) {
    this.socket = socket;
    this.#others = others;
    this.http = http;
    this.#spools = spools;
    this.#webhooks = webhooks;
  }

  /** All of them, or none. @throws ObserverError `HO_LISTEN_FAILED`, `HO_SERVICE_RUNNING`. */
  static async open(options: ListenerOptions, context: ListenerContext): Promise<Listeners> {
    const socket = await SocketListener.open(options.socket, context);
    const { http, spoolFolder } = options;
    try {
      const webhooks =
        options.webhooks === undefined ? undefined : await WebhookReceiver.open(options.webhooks, context);
      const listener = http === undefined ? undefined : await HttpListener.open({ ...http, webhooks }, context);
      const spools = new SpoolPickup(spoolFolder, context);
      spools.start();
      const others = await openOthers(options.otherSockets ?? [], context);
      return new Listeners(socket, others, listener, spools, webhooks);
    } catch (error) {
      socket.stop();
      throw error;
    }
  }

  /** Takes nothing more from outside. What was taken is still acknowledged: close connections after the service is. */
  async stop(): Promise<void> {
    for (const socket of [this.socket, ...this.#others]) socket.stop();
    this.http?.stop();
    await Promise.race([this.#spools.stop(), new Promise((resolve) => setTimeout(resolve, CLOSE_MILLIS).unref())]);
  }

  closeConnections(): void {
    for (const socket of [this.socket, ...this.#others]) socket.closeConnections();
    this.http?.closeConnections();
    void this.#webhooks?.close();
  }
}

async function openOthers(paths: readonly string[], context: ListenerContext): Promise<SocketListener[]> {
  const opened = await Promise.allSettled(paths.map((path) => SocketListener.open(path, context)));
  return opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

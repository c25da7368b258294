import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ObserverError } from '@hermes-observer/core';
import { ConnectionSlots } from '../connection-slots.js';
import type { ListenerContext } from '../listener-context.js';
import { asObserverError } from '../protocol.js';
import type { WebhookReceiver } from '../webhook/webhook-receiver.js';
import { Access, checkHeaders, type Refusal } from './access.js';
import { ask } from './ask-route.js';
import type { FurtherRoutes } from './further-routes.js';
import type { Metrics } from './metrics.js';
import { takeRecords } from './records-route.js';
import { RequestError } from './request-error.js';
import { respondError, respondJson, respondText } from './respond.js';

export interface HttpOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly token: string;
  /** Further names of this machine. */
  readonly allowedHosts: readonly string[];
  /** Absent: `/hooks/hermes` does not exist. */
  readonly webhooks: WebhookReceiver | undefined;
  readonly further?: FurtherRoutes | undefined;
}

const HEADERS_MILLIS = 10_000;
const REQUEST_MILLIS = 120_000;
const IDLE_MILLIS = 60_000;
const LOOK_MILLIS = 1_000;
/** Requests of one connection that may wait for their answers; clients send one after the other. */
const MOST_OPEN_REQUESTS = 4;

type Route = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** The service over HTTP. Every path but `/healthz` asks for the token, or for a signature. */
export class HttpListener {
  /** Where it listens, such as `http://127.0.0.1:4890`. */
  readonly url: string;
  readonly #server: Server;
  readonly #slots: ConnectionSlots;
  readonly #further: FurtherRoutes | undefined;

  private constructor(server: Server, slots: ConnectionSlots, further: FurtherRoutes | undefined) {
    this.#server = server;
    this.#slots = slots;
    this.#further = further;
    const { address, port, family } = server.address() as AddressInfo;
    this.url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  }

  /** @throws ObserverError `HO_LISTEN_FAILED`. */
  static async open(options: HttpOptions, context: ListenerContext): Promise<HttpListener> {
    const slots = new ConnectionSlots(context.limits.connections);
    context.counts.watch('http_connections', 'Open connections of HTTP.', 'gauge', () => slots.open);
    context.counts.watch(
      'http_closed_for_room',
      'Connections closed to make room.',
      'counter',
      () => slots.closedForRoom,
    );
    const routes = new Routes(options, context);
    const server = createServer({
      headersTimeout: HEADERS_MILLIS,
      requestTimeout: REQUEST_MILLIS,
      keepAliveTimeout: IDLE_MILLIS,
      connectionsCheckingInterval: LOOK_MILLIS,
      // Whatever the process was started with.
      insecureHTTPParser: false,
    });
    const open = new WeakMap<Socket, number>();
    server.on('connection', (socket) => slots.admit(socket));
    server.on('request', (request, response) => {
      const { socket } = request;
      if (socket.destroyed) return;
      const requests = (open.get(socket) ?? 0) + 1;
      open.set(socket, requests);
      if (requests > MOST_OPEN_REQUESTS) {
        context.counts.refuse('pipelined');
        socket.destroy();
        return;
      }
      slots.setBusy(socket, true);
      response.once('close', () => {
        const left = (open.get(socket) ?? 1) - 1;
        open.set(socket, left);
        if (left === 0) slots.setBusy(socket, false);
      });
      void routes.handle(request, response);
    });
    server.on('clientError', (_, socket) => endBadClient(socket as Socket));
    await listen(server, options);
    server.on('error', () => context.counts.refuse('accept'));
    return new HttpListener(server, slots, options.further);
  }

  /** Takes no further connection; requests under way are answered. */
  stop(): void {
    this.#server.close();
    this.#further?.stop();
    this.#server.closeIdleConnections();
  }

  closeConnections(): void {
    this.#slots.closeAll();
  }
}

function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const mend =
        cause.code === 'EADDRINUSE' ? 'end what listens there, or set http.port' : 'set http.host or http.port';
      const message = `cannot listen on ${host}:${port}: ${cause.code ?? cause.message}; ${mend}`;
      reject(new ObserverError('HO_LISTEN_FAILED', message, { cause }));
    });
    server.listen({ host, port }, () => resolve());
  });
}

function endBadClient(socket: Socket): void {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  else socket.destroy();
}

/** @throws RequestError */
function refuse(refusal: Refusal | undefined): void {
  if (refusal === undefined) return;
  const code = refusal.status === 400 ? 'HO_REQUEST' : 'HO_REQUEST_FORBIDDEN';
  throw new RequestError(refusal.status, code, refusal.message);
}

/** Which path does what, for whom. */
class Routes {
  readonly #context: ListenerContext;
  readonly #access: Access;
  readonly #webhooks: WebhookReceiver | undefined;
  readonly #further: FurtherRoutes | undefined;
  readonly #routes: Readonly<Record<string, Route>>;
  #metrics: Promise<Metrics> | undefined;

  constructor({ token, host, allowedHosts, webhooks, further }: HttpOptions, context: ListenerContext) {
    this.#context = context;
    this.#access = new Access(token, host, allowedHosts);
    this.#webhooks = webhooks;
    this.#further = further;
    this.#routes = {
      'POST /v1/records': (request, response) => takeRecords(request, response, context),
      'POST /v1/ask': (request, response) => ask(request, response, context),
      'GET /v1/status': (_, response) => respondText(response, 200, context.status()),
      'GET /readyz': (_, response) => this.#ready(response),
      'GET /metrics': async (_, response) => await (await this.#loadMetrics()).respond(response),
    };
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      this.#further?.prepare(response);
      refuse(checkHeaders(request));
      const path = request.url?.split('?', 1)[0] ?? '';
      if (path === '/healthz') respondJson(response, 200, { status: 'ok' });
      else if (path === '/hooks/hermes' && this.#webhooks !== undefined) await this.#webhooks.take(request, response);
      else await this.#allowed(path, request, response);
    } catch (error) {
      await this.#fail(request, response, error);
    }
  }

  async #allowed(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuse(this.#access.checkPlace(request));
    const further = this.#further?.find(request, path);
    if (further?.asks === 'reader') refuse(this.#access.checkReader(request));
    else if (further?.asks !== 'anyone') refuse(this.#access.checkToken(request));
    if (further !== undefined) return further.answer(request, response, this.#access);
    const route = this.#routes[`${request.method} ${path}`];
    if (route !== undefined) return route(request, response);
    const isOtherMethod = Object.keys(this.#routes).some((known) => known.endsWith(` ${path}`));
    throw new RequestError(isOtherMethod ? 405 : 404, 'HO_REQUEST', `there is no ${request.method} ${path}`);
  }

  async #fail(request: IncomingMessage, response: ServerResponse, thrown: unknown): Promise<void> {
    // A client that left gets no answer.
    if (response.destroyed || response.socket === null || response.socket.destroyed) return;
    const error = asObserverError(thrown);
    this.#context.counts.refuse(error.code);
    if (error.code === 'HO_INTERNAL') this.#context.onFault(error);
    if (response.headersSent) response.destroy();
    else if (!this.#further?.fail(request, response, error)) await respondError(request, response, error);
  }

  #ready(response: ServerResponse): void {
    const { status, intake } = this.#context.ports;
    const isReady = status.isReady && !intake.isPaused;
    const reason = isReady ? undefined : (status.trouble ?? 'too much waits for the disk');
    respondJson(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', reason });
  }

  /** The metrics SDK is loaded when somebody asks: it would double the time to start. */
  #loadMetrics(): Promise<Metrics> {
    const agents = () => this.#context.ports.status.agentMetrics?.();
    this.#metrics ??= import('./metrics.js').then(
      ({ Metrics }) => new Metrics(() => this.#context.allCounts(), agents),
    );
    return this.#metrics;
  }
}

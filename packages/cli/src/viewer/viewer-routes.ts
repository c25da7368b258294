import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObserverError } from '@hermes-observer/core';
import type { Access } from '../listeners/http/access.js';
import type { FurtherRoute, FurtherRoutes } from '../listeners/http/further-routes.js';
import { RequestError, statusOf } from '../listeners/http/request-error.js';
import { respondJson } from '../listeners/http/respond.js';
import type { Receiver } from '../receiver/receive-route.js';
import type { TraceStore } from '../traces/trace-store.js';
import type { ApprovalsAnswer } from '../wire.js';
import type { Api } from './api.js';
import { LiveStream } from './live-stream.js';
import { setPageHeaders } from './page-headers.js';
import { respondPage } from './plain-page.js';
import type { StaticFiles } from './static-files.js';

export interface ViewerParts {
  readonly store: TraceStore;
  readonly api: Api;
  readonly files: StaticFiles;
  /** Absent where nothing is taken. */
  readonly receiver?: Receiver | undefined;
}

type Answer = FurtherRoute['answer'];
type Methods = Readonly<Partial<Record<string, Answer>>>;

const INDEX = '/index.html';
/** Places in the page, which it finds itself. */
const PLACES = /^\/(?:turn\/[^/]+(?:\/[^/]+)?|health)?$/;
const MOST_STREAMS = 64;

/** The page, what it reads, and the receiver, on the listener of the service. */
export class ViewerRoutes implements FurtherRoutes {
  readonly #parts: ViewerParts;
  readonly #epoch = `${Date.now().toString(36)}${process.pid.toString(36)}`;
  readonly #streams = new Set<LiveStream>();

  constructor(parts: ViewerParts) {
    this.#parts = parts;
  }

  prepare(response: ServerResponse): void {
    setPageHeaders(response);
  }

  find(request: IncomingMessage, path: string): FurtherRoute | undefined {
    const { receiver, files } = this.#parts;
    const method = request.method ?? '';
    if (receiver !== undefined) {
      const signal = /^\/v1\/(traces|logs|metrics)$/.exec(path)?.[1] as 'traces' | 'logs' | 'metrics' | undefined;
      if (signal === 'traces') return only(method, { POST: (req, res) => receiver.takeTraces(req, res) }, 'token');
      if (signal !== undefined)
        return only(method, { POST: (req, res) => receiver.refuseSignal(req, res, signal) }, 'token');
    }
    if (PLACES.test(path))
      return only(
        method,
        pageMethods((req, res, access) => this.#page(req, res, access)),
        'anyone',
      );
    const methods = path.startsWith('/api/') ? this.#apiRoute(path, queryOf(request)) : undefined;
    if (methods !== undefined) return only(method, methods, 'reader');
    if (path !== INDEX && files.has(path)) {
      return only(
        method,
        pageMethods((req, res) => files.respond(req, res, path)),
        'reader',
      );
    }
    return undefined;
  }

  fail(request: IncomingMessage, response: ServerResponse, error: ObserverError): boolean {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (request.method !== 'GET' || !/text\/html/.test(request.headers.accept ?? '')) return false;
    const status = statusOf(error);
    // Who has no access yet may have come by any address, that of an approval too.
    if (status !== 401 && !PLACES.test(path)) return false;
    const title = status === 401 ? 'The viewer wants to know you first' : `Error ${status}`;
    const lines = status === 401 ? HOW_TO_OPEN : [`${error.message} [${error.code}]`];
    respondPage(response, status, title, lines);
    return true;
  }

  stop(): void {
    for (const stream of this.#streams) stream.end();
  }

  #apiRoute(path: string, query: URLSearchParams): Methods | undefined {
    const { api } = this.#parts;
    const [, , collection, id, list, span, ...more] = path.split('/').map(decoded);
    if (more.length > 0) return undefined;
    switch (collection) {
      case 'turns':
        if (id === undefined) return { GET: (req, res) => api.turns(req, res, query) };
        if (list === undefined) return { GET: (req, res) => api.turn(req, res, id, query) };
        if (list === 'records' && span === undefined) return { GET: (_, res) => api.records(res, id) };
        if (list !== 'spans' || span === undefined) return undefined;
        return { GET: (req, res) => api.span(req, res, id, span, query) };
      case 'sessions':
        return id === undefined || list !== undefined ? undefined : { DELETE: (_, res) => api.forget(res, id) };
      case 'health':
        return id === undefined ? { GET: (req, res) => api.health(req, res) } : undefined;
      case 'approvals':
        // A service with a policy answers before this.
        return id === undefined ? { GET: (_, res) => respondJson(res, 200, NO_APPROVALS) } : undefined;
      case 'live':
        return id === undefined ? { GET: (req, res) => this.#live(req, res, query) } : undefined;
      default:
        return undefined;
    }
  }

  /** With the token in the address: the cookie, and the same address without it, so that it stays in no history. */
  #page(request: IncomingMessage, response: ServerResponse, access: Access): void {
    const path = request.url?.split('?', 1)[0] ?? '/';
    const given = queryOf(request).get('token');
    if (given !== null && access.isToken(given)) {
      response.writeHead(303, { 'set-cookie': access.setCookie, location: path, 'content-length': 0 }).end();
      return;
    }
    const refusal = access.checkReader(request);
    if (refusal !== undefined) throw new RequestError(refusal.status, 'HO_REQUEST_FORBIDDEN', refusal.message);
    const { files } = this.#parts;
    if (files.has(INDEX)) files.respond(request, response, INDEX);
    else
      respondPage(response, 503, 'The page is not here', [
        'It is made by `npm run build`. What it reads is below `/api`.',
      ]);
  }

  #live(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): void {
    if (this.#streams.size >= MOST_STREAMS) {
      throw new RequestError(503, 'HO_SERVICE_BUSY', 'too many pages are open');
    }
    const stream = new LiveStream(this.#parts.store, request, response, this.#epoch, query);
    this.#streams.add(stream);
    response.once('close', () => this.#streams.delete(stream));
  }
}

const NO_APPROVALS: ApprovalsAnswer = { path: null, waiting: 0 };
const HOW_TO_OPEN = [
  'Run `hermes-observer view` on this machine: it opens the viewer with the token that it needs. Then load this page again.',
  'From a clone it is `node packages/cli/bin/hermes-observer.js view`. For a service with another data folder, add `--data FOLDER`.',
];

const pageMethods = (answer: Answer): Methods => ({ GET: answer, HEAD: answer });

/** @throws RequestError 405 for a method that the path does not have. */
function only(method: string, methods: Methods, asks: FurtherRoute['asks']): FurtherRoute {
  const answer = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (answer !== undefined) return { asks, answer };
  const allowed = Object.keys(methods).join(', ');
  const refuse: Answer = (_, response) => {
    response.setHeader('allow', allowed);
    throw new RequestError(405, 'HO_REQUEST', `this path takes ${allowed}`);
  };
  // Who may not ask is not told what there is.
  return { asks: asks === 'anyone' ? 'reader' : asks, answer: refuse };
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
}

/** A part of a path; one that is encoded wrongly is what it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

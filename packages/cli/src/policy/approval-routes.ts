import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CallbackReply,
  type CallbackRequest,
  handleCallback,
  MOST_CALLBACK_BYTES,
  WebChannel,
} from '@hermes-observer/policy';
import type { LoadedPolicy } from '@hermes-observer/policy/config';
import type { Access } from '../listeners/http/access.js';
import type { FurtherRoute, FurtherRoutes } from '../listeners/http/further-routes.js';
import { RequestBody } from '../listeners/http/request-body.js';
import { RequestError } from '../listeners/http/request-error.js';
import { respondJson } from '../listeners/http/respond.js';
import type { MemoryBudget } from '../listeners/memory-budget.js';
import type { ApprovalsAnswer } from '../wire.js';
import { ApprovalCommands } from './approval-commands.js';

/** Where pages of approvals are; callbacks of channels are below `callbacks`. */
export const APPROVALS_PATH = '/approvals';
/** What the viewer asks for. */
const COUNT_PATH = '/api/approvals';
const CALLBACKS = `${APPROVALS_PATH}/callbacks/`;

/** What answers requests for approvals, once it is open. */
export interface ApprovalHost {
  readonly loaded: LoadedPolicy;
  refusedCallback(channel: string): void;
}

/** Pages of approvals for who may read the viewer, and callbacks, which show who they are by their signatures. */
export class ApprovalRoutes implements FurtherRoutes {
  readonly #host: () => ApprovalHost | undefined;
  readonly #waiting: MemoryBudget;

  constructor(host: () => ApprovalHost | undefined, waiting: MemoryBudget) {
    this.#host = host;
    this.#waiting = waiting;
  }

  prepare(): void {}

  find({ method }: IncomingMessage, path: string): FurtherRoute | undefined {
    if (path === COUNT_PATH && method === 'GET')
      return { asks: 'reader', answer: (_, response) => this.#count(response) };
    if (path !== APPROVALS_PATH && !path.startsWith(`${APPROVALS_PATH}/`)) return undefined;
    const name = path.startsWith(CALLBACKS) ? path.slice(CALLBACKS.length) : undefined;
    return {
      asks: 'anyone',
      answer: (request, response, access) =>
        name === undefined ? this.#page(request, response, path, access) : this.#callback(request, response, name),
    };
  }

  fail(): boolean {
    return false;
  }

  stop(): void {}

  async #page(request: IncomingMessage, response: ServerResponse, path: string, access: Access): Promise<void> {
    const { method = '' } = request;
    const given = queryOf(request).token;
    if (method === 'GET' && given !== undefined && access.isToken(given)) {
      response.writeHead(303, { 'set-cookie': access.setCookie, location: path, 'content-length': 0 }).end();
      return;
    }
    const refusal = method === 'POST' ? access.checkForm(request) : access.checkReader(request);
    if (refusal !== undefined) throw new RequestError(refusal.status, 'HO_REQUEST_FORBIDDEN', refusal.message);
    const { channels, approvals } = this.#opened();
    const web = channels.find((channel) => channel instanceof WebChannel);
    if (web === undefined || approvals === undefined) {
      throw new RequestError(404, 'HO_REQUEST', 'there are no pages of approvals: the policy has no channel `web`');
    }
    const reply = await this.#withBody(request, (callback) =>
      web.respond({ ...callback, method, path }, approvals, ApprovalCommands.user, Date.now()),
    );
    respond(response, reply, method === 'HEAD');
  }

  async #count(response: ServerResponse): Promise<void> {
    const { channels, approvals } = this.#opened();
    const hasPages = channels.some((channel) => channel instanceof WebChannel);
    const answer: ApprovalsAnswer = {
      path: hasPages ? APPROVALS_PATH : null,
      waiting: (await approvals?.pendingCount()) ?? 0,
    };
    respondJson(response, 200, answer);
  }

  async #callback(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
    if (request.method !== 'POST') {
      response.setHeader('allow', 'POST');
      throw new RequestError(405, 'HO_REQUEST', 'callbacks are posted');
    }
    const { channels, approvals } = this.#opened();
    if (approvals === undefined) throw new RequestError(404, 'HO_REQUEST', 'the policy has no channels');
    const onRefused = (channel: string) => this.#host()?.refusedCallback(channel);
    const reply = await this.#withBody(request, (callback) =>
      handleCallback(channels, approvals, name, callback, Date.now(), { onRefused }),
    );
    respond(response, reply, false);
  }

  #opened(): LoadedPolicy {
    const host = this.#host();
    if (host === undefined) throw new RequestError(503, 'HO_SERVICE_BUSY', 'the policy is not open yet');
    return host.loaded;
  }

  async #withBody(
    request: IncomingMessage,
    work: (request: CallbackRequest) => Promise<CallbackReply>,
  ): Promise<CallbackReply> {
    const body = new RequestBody(request, this.#waiting, MOST_CALLBACK_BYTES);
    try {
      return await work({ body: await body.readAll(), headers: headersOf(request), query: queryOf(request) });
    } finally {
      body.release();
    }
  }
}

function respond(response: ServerResponse, { status, headers, body }: CallbackReply, isHead: boolean): void {
  // Pages say for themselves what they may do.
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response
    .writeHead(status, {
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(isHead ? '' : body);
}

/** One that is sent twice is a list, which no check takes. */
function headersOf({ headersDistinct }: IncomingMessage): CallbackRequest['headers'] {
  return Object.fromEntries(
    Object.entries(headersDistinct).map(([name, values = []]) => [name, values.length === 1 ? values[0] : values]),
  );
}

function queryOf({ url = '' }: IncomingMessage): Record<string, string> {
  const mark = url.indexOf('?');
  return mark < 0 ? {} : Object.fromEntries(new URLSearchParams(url.slice(mark + 1)));
}

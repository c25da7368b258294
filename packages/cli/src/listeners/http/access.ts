import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Headers that decide who may do what: of two, a proxy before this service might have looked at the other one. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-encoding',
  'x-hermes-signature-256',
]);

/** What no client sends, and what two readers could read in two ways. */
export function checkHeaders({ rawHeaders }: IncomingMessage): Refusal | undefined {
  const seen = new Set<string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? '';
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.has(name)) return { status: 400, message: `the request has more than one ${name}` };
    seen.add(name);
  }
  return undefined;
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '::1'];

/** Why a request may not pass. */
export interface Refusal {
  readonly status: 400 | 401 | 403;
  readonly message: string;
}

/** Who may talk to the service over HTTP. */
export class Access {
  readonly #token: Buffer;
  readonly #names: ReadonlySet<string>;
  readonly #takesAddresses: boolean;

  /** `host` is what the server listens on; `allowed` are further names of this machine. */
  constructor(token: string, host: string, allowed: readonly string[]) {
    this.#token = digest(token);
    this.#names = new Set([...LOCAL_NAMES, bare(host), ...allowed.map(bare)]);
    this.#takesAddresses = !LOCAL_NAMES.includes(bare(host));
  }

  /**
   * A page of another site can make a browser send requests here, under a name that it lets point to this machine. Such a
   * request names that host, or an origin that is not this service.
   */
  checkPlace(request: IncomingMessage): Refusal | undefined {
    const host = hostOf(request.headers.host);
    if (host === undefined || !this.#isOwn(host)) {
      return { status: 403, message: 'the Host of the request is not this service: see http.allowed_hosts' };
    }
    const { origin } = request.headers;
    if (origin === undefined || origin === `http://${request.headers.host}`) return undefined;
    return { status: 403, message: 'requests from pages of another origin are not taken' };
  }

  checkToken(request: IncomingMessage): Refusal | undefined {
    const [, given] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (given === undefined)
      return { status: 401, message: 'send Authorization: Bearer with the token of the service' };
    return timingSafeEqual(digest(given), this.#token) ? undefined : { status: 401, message: 'the token is wrong' };
  }

  /** An address in figures cannot be made to point elsewhere. */
  #isOwn(host: string): boolean {
    return this.#names.has(host) || (this.#takesAddresses && isIP(host) !== 0);
  }
}

/** Of equal length whatever the text, so that comparing tells nothing of it. */
const digest = (text: string) => createHash('sha256').update(text).digest();

const bare = (host: string) => host.toLowerCase().replace(/^\[(.*)\]$/, '$1');

function hostOf(header: string | undefined): string | undefined {
  const [, host] = /^(\[[^\]]+\]|[^:/@\s]+)(?::\d{1,5})?$/.exec(header ?? '') ?? [];
  return host === undefined ? undefined : bare(host);
}

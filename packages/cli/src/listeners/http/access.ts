import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
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

const COOKIE = 'hermes_observer';
/** What browsers say of requests that no other page has caused. */
const OWN_SITES: readonly (string | undefined)[] = [undefined, 'same-origin', 'none'];

/** Who may talk to the service over HTTP. */
export class Access {
  readonly #token: Buffer;
  readonly #cookie: string;
  readonly #names: ReadonlySet<string>;
  readonly #takesAddresses: boolean;

  /** `host` is what the server listens on; `allowed` are further names of this machine. */
  constructor(token: string, host: string, allowed: readonly string[]) {
    this.#token = digest(token);
    // Other servers of this machine are sent it too, since cookies do not tell ports apart: the token must not be in it.
    this.#cookie = createHmac('sha256', token).update('cookie of the viewer').digest('base64url');
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
    return this.isToken(given) ? undefined : { status: 401, message: 'the token is wrong' };
  }

  isToken(given: string): boolean {
    return timingSafeEqual(digest(given), this.#token);
  }

  /** What makes a browser that has shown the token known, as a header. */
  get setCookie(): string {
    return `${COOKIE}=${this.#cookie}; HttpOnly; SameSite=Strict; Path=/`;
  }

  /** The token, or the cookie of a browser: to read with, and for a page of this service to delete with. */
  checkReader(request: IncomingMessage): Refusal | undefined {
    const { method } = request;
    // `checkPlace` has seen that an origin is this service's own.
    const mayBe =
      method === 'GET' || method === 'HEAD' || (method === 'DELETE' && request.headers.origin !== undefined);
    return this.#checkBrowser(request, mayBe);
  }

  /** The same for a form of a page of this service, which says of itself where it comes from. */
  checkForm(request: IncomingMessage): Refusal | undefined {
    return this.#checkBrowser(request, request.method === 'POST' && request.headers.origin !== undefined);
  }

  #checkBrowser(request: IncomingMessage, mayBe: boolean): Refusal | undefined {
    if (request.headers.authorization !== undefined) return this.checkToken(request);
    const refusal = { status: 401, message: 'open the viewer with `hermes-observer view`, or send the token' } as const;
    if (!cookiesOf(request).some((given) => timingSafeEqual(digest(given), digest(this.#cookie)))) return refusal;
    if (!OWN_SITES.includes(request.headers['sec-fetch-site'] as string | undefined)) return refusal;
    return mayBe ? undefined : refusal;
  }

  /** An address in figures cannot be made to point elsewhere. */
  #isOwn(host: string): boolean {
    return this.#names.has(host) || (this.#takesAddresses && isIP(host) !== 0);
  }
}

/** Of equal length whatever the text, so that comparing tells nothing of it. */
const digest = (text: string) => createHash('sha256').update(text).digest();

/** Values of our cookie; a page of another port may have set one of its own beside it. */
function cookiesOf({ headers }: IncomingMessage): string[] {
  return (headers.cookie ?? '').split(';').flatMap((pair) => {
    const [name, value] = pair.trim().split('=', 2);
    return name === COOKIE && value !== undefined ? [value] : [];
  });
}

const bare = (host: string) => host.toLowerCase().replace(/^\[(.*)\]$/, '$1');

function hostOf(header: string | undefined): string | undefined {
  const [, host] = /^(\[[^\]]+\]|[^:/@\s]+)(?::\d{1,5})?$/.exec(header ?? '') ?? [];
  return host === undefined ? undefined : bare(host);
}

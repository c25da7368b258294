/** Host and port of a model's address. */
export interface Server {
  readonly address: string | undefined;
  readonly port: number | undefined;
}

const NONE: Server = { address: undefined, port: undefined };
const MAX_KNOWN = 256;
const known = new Map<string, Server>();
/** The one that was asked for last: most requests of an agent go to the same. */
let last = '';
let lastServer = NONE;

/** Reads an http or https address; anything else has no server. Agents use few addresses, so answers are kept. */
export function serverOf(baseUrl: unknown): Server {
  if (baseUrl === last) return lastServer;
  if (typeof baseUrl !== 'string' || baseUrl.length === 0 || baseUrl.length > 2048) return NONE;
  let server = known.get(baseUrl);
  if (server === undefined) {
    server = read(baseUrl);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(baseUrl, server);
  }
  last = baseUrl;
  lastServer = server;
  return server;
}

function read(baseUrl: string): Server {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return NONE;
  return {
    address: url.hostname.replace(/^\[|\]$/g, '') || undefined,
    port: url.port === '' ? undefined : Number(url.port),
  };
}

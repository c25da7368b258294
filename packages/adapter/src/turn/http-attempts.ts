import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Guard } from '../guard.js';
import type { AdapterRequest } from './request.js';
import type { ScopeStore } from './scope.js';

/** What is read of a request of undici, which is `fetch` as well. */
interface HttpRequest {
  readonly method?: unknown;
  readonly origin?: unknown;
  readonly path?: unknown;
}

/** What clients of providers try again after. */
const isRetried = (status: unknown): status is number =>
  typeof status === 'number' && (status === 408 || status === 409 || status === 429 || status >= 500);

/** A POST of a request that has no answer yet. */
interface Post {
  readonly request: AdapterRequest;
  readonly url: string;
  /** Whether another one of the request was under way at the same time. */
  isBeside: boolean;
}

/** What a request has sent. */
interface Sent {
  /** Where its model is: the address of its first POST, until one of another address is made again after it failed. */
  address: string;
  readonly open: Set<Post>;
  /** Failures, by address, that are ones of the request only if the same is sent again. */
  readonly held: Map<string, unknown>;
}

/**
 * Makes attempts of what a client tries again inside a request: a POST in the request's scope that failed, and the next one to
 * the same address. That the first one's address failed is told at once; of others, of those beside another POST, and of those
 * that were called off, when the next one begins: programs send logs as well. A client with a `fetch` of its own that is not
 * undici's is not seen. Requests that `owns` refuses are left alone. `failed` is told of each answer from that address that says it failed,
 * `isRetried` where a client tries again after such a one, and of each request without an answer. Returns what ends it.
 */
export function followHttpAttempts(
  scopes: ScopeStore,
  guard: Guard,
  owns: (request: AdapterRequest) => boolean,
  failed: (request: AdapterRequest, error: unknown, isRetried: boolean) => void = () => {},
): () => void {
  const posts = new WeakMap<object, Post>();
  const all = new WeakMap<AdapterRequest, Sent>();

  const begun = ({ request: http }: { request: HttpRequest & object }) => {
    const request = scopes.getStore()?.request;
    if (request === undefined || request.isEnded || http.method !== 'POST' || !owns(request)) return;
    const url = `${String(http.origin)}${String(http.path)}`;
    const sent = all.get(request) ?? { address: url, open: new Set(), held: new Map() };
    all.set(request, sent);
    const isBeside = sent.open.size > 0;
    if (sent.held.has(url) && (sent.address === url || !isBeside)) {
      request.failed(sent.held.get(url));
      sent.address = url;
      sent.held.delete(url);
    }
    if (sent.address === url) request.retry();
    for (const other of sent.open) other.isBeside = true;
    const post = { request, url, isBeside };
    sent.open.add(post);
    posts.set(http, post);
  };
  const closed = (http: object): Post | undefined => {
    const post = posts.get(http);
    posts.delete(http);
    if (post !== undefined) all.get(post.request)?.open.delete(post);
    return post;
  };
  const isAtAddress = ({ request, url }: Post) => all.get(request)?.address === url;
  const hold = ({ request, url }: Post, error: unknown) => void all.get(request)?.held.set(url, error);
  const fails = (post: Post, error: unknown) => {
    if (post.isBeside || !isAtAddress(post)) hold(post, error);
    else post.request.failed(error);
  };
  const answered = ({ request: http, response }: { request: object; response?: { statusCode?: unknown } }) => {
    const post = closed(http);
    const status = response?.statusCode;
    if (post === undefined) return;
    if (isRetried(status)) fails(post, { statusCode: status });
    else all.get(post.request)?.held.delete(post.url);
    if (typeof status === 'number' && status >= 400 && isAtAddress(post))
      failed(post.request, { statusCode: status }, isRetried(status));
  };
  const broken = ({ request: http, error }: { request: object; error?: unknown }) => {
    const post = closed(http);
    if (post === undefined) return;
    if ((error as Error | undefined)?.name === 'AbortError') {
      // Whether it was the client, which has a limit of its own, or the program that called it off, is seen by what follows.
      hold(post, { name: 'TimeoutError' });
      return;
    }
    fails(post, error);
    if (isAtAddress(post)) failed(post.request, error, true);
  };

  const channels = [
    ['undici:request:create', begun],
    ['undici:request:headers', answered],
    ['undici:request:error', broken],
  ] as const;
  const listeners = channels.map(([name, tell]) => {
    const listener = (message: unknown) => void guard.safely(() => tell(message as never));
    subscribe(name, listener);
    return () => unsubscribe(name, listener);
  });
  return () => {
    for (const end of listeners) end();
  };
}

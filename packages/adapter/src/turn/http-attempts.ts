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

/**
 * Makes attempts of what a client tries again inside a request: each POST to the address that the first one of that request
 * went to, in the request's scope. A client with a `fetch` of its own that is not undici's is not seen. Requests that `owns`
 * refuses are left alone. `failed` is told of each answer that says it failed, `isRetried` where a client tries again after such a
 * one, and of each request without an answer. Returns what ends it.
 */
export function followHttpAttempts(
  scopes: ScopeStore,
  guard: Guard,
  owns: (request: AdapterRequest) => boolean,
  failed: (request: AdapterRequest, error: unknown, isRetried: boolean) => void = () => {},
): () => void {
  const attempts = new WeakMap<object, AdapterRequest>();
  /** Address of the first POST, and whether the last one has no answer yet. */
  const known = new WeakMap<AdapterRequest, { readonly url: string; isOpen: boolean }>();

  const begun = ({ request: http }: { request: HttpRequest & object }) => {
    const request = scopes.getStore()?.request;
    if (request === undefined || request.isEnded || http.method !== 'POST' || !owns(request)) return;
    const url = `${String(http.origin)}${String(http.path)}`;
    const first = known.get(request);
    if (first === undefined) known.set(request, { url, isOpen: true });
    else if (first.url !== url) return;
    else {
      // Given up without an answer: the client has a limit of its own.
      if (first.isOpen) request.failed({ name: 'TimeoutError' });
      request.retry();
      first.isOpen = true;
    }
    attempts.set(http, request);
  };
  const closed = (http: object): AdapterRequest | undefined => {
    const request = attempts.get(http);
    attempts.delete(http);
    const state = request === undefined ? undefined : known.get(request);
    if (state !== undefined) state.isOpen = false;
    return request;
  };
  const answered = ({ request: http, response }: { request: object; response?: { statusCode?: unknown } }) => {
    const request = closed(http);
    const status = response?.statusCode;
    if (request === undefined) return;
    if (isRetried(status)) request.failed({ statusCode: status });
    if (typeof status === 'number' && status >= 400) failed(request, { statusCode: status }, isRetried(status));
  };
  const broken = ({ request: http, error }: { request: object; error?: unknown }) => {
    // Whether it was the client or the program that called it off, is seen by what follows.
    if ((error as Error | undefined)?.name === 'AbortError') return;
    const request = closed(http);
    if (request === undefined) return;
    request.failed(error);
    failed(request, error, true);
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

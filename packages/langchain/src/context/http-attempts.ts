import { channel } from 'node:diagnostics_channel';
import type { AdapterRequest, Guard, ScopeStore } from '@hermes-observer/adapter';
import { fieldsOf } from '../framework/fields.js';

/** Answers after which clients try again: what they say is told when it comes. Any other error is the client's to tell. */
const TRIED_AGAIN: ReadonlySet<unknown> = new Set([408, 409, 425, 429]);

/**
 * Clients of providers try again by themselves, which LangChain tells nobody. `fetch` tells of each of its requests: those
 * that code of a model makes are the attempts. Returns what ends that.
 */
export function observeHttpAttempts(scopes: ScopeStore, guard: Guard): () => void {
  const requests = new WeakMap<object, AdapterRequest>();
  const on = (name: string, listener: (message: Readonly<Record<string, unknown>>) => void) => {
    const guarded = (message: unknown) => void guard.safely(() => listener(fieldsOf(message)));
    const one = channel(`undici:request:${name}`);
    one.subscribe(guarded);
    return () => void one.unsubscribe(guarded);
  };
  const ends = [
    on('create', ({ request: made }) => {
      const request = scopes.getStore()?.request;
      if (request === undefined || typeof made !== 'object' || made === null) return;
      requests.set(made, request);
      request.retry();
    }),
    on('headers', ({ request: made, response }) => {
      const { statusCode } = fieldsOf(response);
      if (typeof statusCode !== 'number' || (statusCode < 500 && !TRIED_AGAIN.has(statusCode))) return;
      requests.get(made as object)?.failed({ statusCode });
    }),
    on('error', ({ request: made, error }) => {
      requests.get(made as object)?.failed(error);
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}

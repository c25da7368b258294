import type { CallGroup } from './call-group.js';

type Fetch = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Has a client that calls `fetch` only after it waited call it in the scopes of the call. It takes the function at once, by `send`:
 * that long the client has another one.
 */
export function scopedFetch<T>(client: { fetch?: unknown }, group: CallGroup, send: () => T): T {
  let restore: (() => void) | undefined;
  group.safely(() => {
    const { value, writable } = Object.getOwnPropertyDescriptor(client, 'fetch') ?? {};
    if (typeof value !== 'function' || writable !== true) return;
    const fetch = value as Fetch;
    const scoped: Fetch = function (...args) {
      return group.enter(() => fetch.apply(this, args));
    };
    client.fetch = scoped;
    restore = () => {
      if (client.fetch === scoped) client.fetch = fetch;
    };
  });
  try {
    return send();
  } finally {
    if (restore !== undefined) group.safely(restore);
  }
}

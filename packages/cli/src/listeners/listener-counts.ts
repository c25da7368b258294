import type { Count } from '../service/ports.js';

/** What listeners count, by why. Reasons are of a fixed set, so that labels stay few. */
export class ListenerCounts {
  readonly #refused = new Map<string, number>();
  readonly #gauges = new Map<
    string,
    { readonly help: string; readonly read: () => number; readonly kind: 'counter' | 'gauge' }
  >();

  /** A request or a connection was not taken. Lines are counted by the service. */
  refuse(reason: string): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
  }

  /** A figure that is read when it is asked for. */
  watch(name: string, help: string, kind: 'counter' | 'gauge', read: () => number): void {
    this.#gauges.set(name, { help, read, kind });
  }

  counts(): Count[] {
    const refused = [...this.#refused].map(([reason, value]) => ({
      name: 'refused_requests',
      help: 'Requests and connections that were not taken.',
      value,
      labels: { reason },
    }));
    const watched = [...this.#gauges].map(([name, { help, read, kind }]) => ({ name, help, value: read(), kind }));
    return [...refused, ...watched];
  }
}

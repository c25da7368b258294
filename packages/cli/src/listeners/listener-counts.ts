import type { Count } from '../service/ports.js';

interface Watched {
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  readonly reads: (() => number)[];
}

/** What listeners count, by why. Reasons are of a fixed set, so that labels stay few. */
export class ListenerCounts {
  readonly #refused = new Map<string, number>();
  readonly #watched = new Map<string, Watched>();

  /** A request or a connection was not taken. Lines are counted by the service. */
  refuse(reason: string): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
  }

  /** A figure that is read when it is asked for. Those of one name are added up. */
  watch(name: string, help: string, kind: 'counter' | 'gauge', read: () => number): void {
    const known = this.#watched.get(name);
    if (known === undefined) this.#watched.set(name, { help, kind, reads: [read] });
    else known.reads.push(read);
  }

  counts(): Count[] {
    const refused = [...this.#refused].map(([reason, value]) => ({
      name: 'refused_requests',
      help: 'Requests and connections that were not taken.',
      value,
      labels: { reason },
    }));
    const watched = [...this.#watched].map(([name, { help, kind, reads }]) => {
      return { name, help, kind, value: reads.reduce((sum, read) => sum + read(), 0) };
    });
    return [...refused, ...watched];
  }
}

import type { TraceState } from '@opentelemetry/api';

const MOST_MEMBERS = 32;
const LONGEST = 512;
const KEY = /^(?:[a-z][_0-9a-z\-*/]{0,255}|[a-z0-9][_0-9a-z\-*/]{0,240}@[a-z][_0-9a-z\-*/]{0,13})$/;
const VALUE = /^[ -~]{0,255}[!-~]$/;

/** Members in their order: the newest first. */
class Members implements TraceState {
  readonly #members: ReadonlyMap<string, string>;

  constructor(members: ReadonlyMap<string, string>) {
    this.#members = members;
  }

  get(key: string): string | undefined {
    return this.#members.get(key);
  }

  set(key: string, value: string): TraceState {
    return new Members(new Map([[key, value], ...this.#without(key)]));
  }

  unset(key: string): TraceState {
    return new Members(this.#without(key));
  }

  serialize(): string {
    return [...this.#members].map(([key, value]) => `${key}=${value}`).join(',');
  }

  #without(key: string): Map<string, string> {
    const members = new Map(this.#members);
    members.delete(key);
    return members;
  }
}

/**
 * A W3C `tracestate`. As with the API's own, members that are malformed are left out, of a key that comes twice the first
 * counts, and there are at most 32; a header over 512 units counts as none.
 */
export function createTraceState(header: string): TraceState {
  const members = new Map<string, string>();
  for (const part of header.length > LONGEST ? [] : header.split(',')) {
    const member = part.trim();
    const at = member.indexOf('=');
    const [key, value] = [member.slice(0, at), member.slice(at + 1)];
    if (at < 0 || value.includes('=') || !KEY.test(key) || !VALUE.test(value)) continue;
    if (members.size < MOST_MEMBERS && !members.has(key)) members.set(key, value);
  }
  return new Members(members);
}

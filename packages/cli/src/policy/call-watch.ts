import type { HookRecord } from '@hermes-observer/core';

/** Calls and sessions that are remembered; the oldest are forgotten first. */
const MOST_CALLS = 20_000;
const MOST_SESSIONS = 20_000;
/** How long a question waits for the record of its call, which another connection brings. */
const LONGEST_WAIT_MILLIS = 250;

/**
 * Which calls there are records of. A question is often here before the record of its call, and those before it in the same
 * stream say whose child asks, for whom, and where: it waits for them, as long as that may be.
 */
export class CallWatch {
  readonly #calls = new Set<string>();
  /** Whether anything was recorded of them. */
  readonly #sessions = new Map<string, boolean>();
  readonly #waiting = new Map<string, Set<() => void>>();

  saw({ hook, payload }: HookRecord): void {
    const session = textOf(payload.session_id);
    if (session !== '') keep(this.#sessions, session, true);
    if (hook !== 'pre_tool_call') return;
    const key = keyOf(session, payload.tool_call_id);
    if (key === undefined) return;
    this.#calls.delete(key);
    this.#calls.add(key);
    const [oldest] = this.#calls;
    if (this.#calls.size > MOST_CALLS && oldest !== undefined) this.#calls.delete(oldest);
    for (const wake of this.#waiting.get(key) ?? []) wake();
  }

  /** Resolves when the call's record is there, or will not be. */
  async recorded(payload: Readonly<Record<string, unknown>>): Promise<void> {
    const session = textOf(payload.session_id);
    const key = keyOf(session, payload.tool_call_id);
    // Of a session of which nothing ever came, nothing will.
    if (key === undefined || this.#calls.has(key) || this.#sessions.get(session) === false) return;
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const wake = () => {
        clearTimeout(timer);
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(wake, LONGEST_WAIT_MILLIS);
      waiting.add(wake);
    });
    if (!this.#sessions.has(session)) keep(this.#sessions, session, false);
  }
}

function keep(map: Map<string, boolean>, key: string, value: boolean): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST_SESSIONS && oldest !== undefined) map.delete(oldest);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function keyOf(session: string, call: unknown): string | undefined {
  const id = textOf(call);
  return id === '' ? undefined : JSON.stringify([session, id]);
}

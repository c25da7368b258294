import { AsyncLocalStorage } from 'node:async_hooks';
import { checkCallback } from './check-options.js';
import { hasMethods, processWide } from './process-wide.js';

/** What turns of a conversation have in common. */
export interface SessionInfo {
  /** The conversation: its turns are linked. */
  readonly sessionId?: string | undefined;
  /** The user, as the platform names them. */
  readonly senderId?: string | undefined;
  /** Where it comes from, such as `cli` or `slack`. */
  readonly platform?: string | undefined;
}

/** One for the process: a program may load this package twice, as ES module and bundled. */
const SESSIONS = Symbol.for('hermes.observer.adapter.sessions.1');

const isStorage = hasMethods('run', 'getStore');
const sessions = (): AsyncLocalStorage<SessionInfo> =>
  processWide(SESSIONS, isStorage, () => new AsyncLocalStorage<SessionInfo>());

/**
 * Calls `fn` at once; turns of any framework that start in it belong to this session. Gives what `fn` gives.
 *
 * @throws ObserverError `HO_OPTION` without `info` or `fn`.
 */
export function withSession<T>(info: SessionInfo, fn: () => T): T {
  checkCallback('withSession', info, fn);
  return sessions().run({ ...sessions().getStore(), ...info }, fn);
}

export const currentSession = (): SessionInfo => sessions().getStore() ?? {};

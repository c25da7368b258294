import type { Decider } from './approval.js';

/** An answer that holds for further calls. Only what a person approved with `remember` makes one. Times are Unix milliseconds. */
export interface Remembered {
  readonly id: string;
  readonly scope: 'session' | 'arguments' | 'pattern';
  /** Hooks whose question it answers, as `name` or `name@version`: all that ask about a call have to be in it. */
  readonly gates: readonly string[];
  readonly tool: string;
  /** Who asked and for whom: it covers no other agent and no other user. */
  readonly agent: string;
  readonly user: string;
  /** For `session`. */
  readonly sessionId: string;
  /** For `arguments`: SHA-256 of tool and canonical arguments alone. */
  readonly argsDigest: string;
  /** For `pattern`: path in the arguments → glob. All have to match, and each argument that is no part of it has to equal the approved one's. */
  readonly pattern: Readonly<Record<string, string>>;
  readonly args: string;
  readonly decider: Decider;
  readonly approvalId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

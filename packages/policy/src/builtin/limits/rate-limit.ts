import { checkFields, configError } from '../../hooks/config-error.js';
import type { Answered, Conclusion, HookAnswer, HookContext } from '../../hooks/hook.js';
import { BuiltinHook, type BuiltinSettings, block, positiveOf } from '../builtin-hook.js';
import { Ledger } from '../ledger.js';
import { OpenCalls } from './open-calls.js';

export interface RateLimitOptions extends BuiltinSettings {
  /** So many calls … */
  readonly calls: number;
  /** … in this many milliseconds, as an average. @default 60000 */
  readonly perMs?: number | undefined;
  /** Most calls at once, after a pause. @default `calls` */
  readonly burst?: number | undefined;
  /** What is counted together. @default connector and user: the tool's name up to `__` (`mcp__github` of `mcp__github__push`), and whom the agent works for */
  readonly key?: ((context: HookContext) => string) | undefined;
  /** Folder in which it is kept over restarts. @default not kept */
  readonly folder?: string | undefined;
}

/** Tokens that were left at a Unix time in milliseconds. */
interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

const OPTIONS = ['calls', 'perMs', 'burst', 'key', 'folder'];
const MOST_KEYS = 100_000;

/**
 * At most so many calls in a time, counted for each connector and user. A call counts once, however often the rules are asked
 * about it, and not if a rule or a person denies it; one that waits for a person counts meanwhile.
 */
export class RateLimit extends BuiltinHook {
  readonly #perMs: number;
  readonly #calls: number;
  readonly #burst: number;
  readonly #key: (context: HookContext) => string;
  readonly #ledger: Ledger<Bucket>;
  /** Steady time of the last look at each bucket in this process: clocks are set. */
  readonly #looked = new Map<string, number>();
  /** Calls that took a token and are not concluded. */
  readonly #open = new OpenCalls<string>();
  /** Calls that took one and wait for a person. */
  readonly #asked = new OpenCalls<string>();

  private constructor(options: RateLimitOptions, ledger: Ledger<Bucket>) {
    super('RateLimit', 'PreToolUse', options, OPTIONS);
    this.#calls = positiveOf(options.calls, `\`calls\` of ${this.name}`);
    this.#perMs = positiveOf(options.perMs ?? 60_000, `\`perMs\` of ${this.name}`);
    this.#burst = positiveOf(options.burst ?? options.calls, `\`burst\` of ${this.name}`);
    if (this.#burst < 1) throw configError(`\`burst\` of ${this.name} must be 1 at least: no call could run.`);
    if (options.key !== undefined && typeof options.key !== 'function')
      throw configError(`\`key\` of ${this.name} must be a function.`);
    this.#key = options.key ?? connectorAndUser;
    this.#ledger = ledger;
  }

  /** @throws ObserverError `HO_POLICY_CONFIG`; `HO_POLICY_STORE` for the folder. */
  static async open(options: RateLimitOptions): Promise<RateLimit> {
    checkFields(options, Object.keys(options), 'RateLimit');
    // Options are checked before anything is opened.
    new RateLimit({ ...options }, await Ledger.open(undefined, isBucket));
    return new RateLimit(options, await Ledger.open(options.folder, isBucket));
  }

  execute(context: HookContext): HookAnswer {
    const { decisionId } = context;
    if (this.#open.get(decisionId) !== undefined) return undefined;
    const key = this.#key(context);
    if (typeof key !== 'string') throw new TypeError('`key` gave no text');
    const tokens = this.#refill(key);
    if (tokens < 1) {
      const seconds = Math.ceil(((1 - tokens) * this.#perMs) / this.#calls / 1000);
      return block(`Too many calls: at most ${this.#calls} in ${this.#perMs / 1000} s. Try again in ${seconds} s.`);
    }
    if (this.#ledger.get(key) === undefined && this.#ledger.size >= MOST_KEYS) this.#forgetFull();
    this.#open.set(decisionId, key);
    this.#put(key, tokens - 1);
    return undefined;
  }

  /** What was taken is on disk before the call runs. */
  async concluded({ decisionId }: HookContext, { outcome }: Conclusion): Promise<void> {
    const key = this.#open.take(decisionId);
    if (key === undefined) return;
    if (outcome === 'deny') return this.#giveBack(key);
    if (outcome === 'ask') this.#asked.set(decisionId, key);
    await this.#ledger.save(key);
  }

  /** What did not run is given back, on disk too: a crash before that leaves it counted. */
  async answered({ decisionId }: HookContext, { outcome }: Answered): Promise<void> {
    const key = this.#asked.take(decisionId);
    if (key === undefined || outcome === 'allow') return;
    this.#giveBack(key);
    await this.#ledger.save(key);
  }

  close(): Promise<void> {
    return this.#ledger.close();
  }

  #giveBack(key: string): void {
    this.#put(key, Math.min(this.#burst, this.#refill(key) + 1));
  }

  #put(key: string, tokens: number): void {
    this.#looked.set(key, performance.now());
    this.#ledger.set(key, { tokens, at: Date.now() });
  }

  #refill(key: string): number {
    const bucket = this.#ledger.get(key);
    if (bucket === undefined) return this.#burst;
    const looked = this.#looked.get(key);
    // Since the start, time that only goes on. Before it there is the clock alone, and one that was set back gives nothing.
    const elapsed = looked === undefined ? Math.max(0, Date.now() - bucket.at) : performance.now() - looked;
    return Math.min(this.#burst, bucket.tokens + (elapsed * this.#calls) / this.#perMs);
  }

  #forgetFull(): void {
    for (const [key] of this.#ledger.entries()) {
      if (this.#refill(key) < this.#burst) continue;
      this.#ledger.forget(key);
      this.#looked.delete(key);
    }
    if (this.#ledger.size >= MOST_KEYS) throw new RangeError('too many connectors and users at once');
  }
}

export function connectorAndUser({ tool, user }: HookContext): string {
  const start = tool.startsWith('mcp__') ? 'mcp__'.length : 0;
  const end = tool.indexOf('__', start);
  return JSON.stringify([end < 0 ? tool : tool.slice(0, end), user]);
}

function isBucket(value: unknown): value is Bucket {
  const { tokens, at } = (value ?? {}) as Partial<Bucket>;
  return Number.isFinite(tokens) && Number.isFinite(at);
}

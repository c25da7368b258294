import { valuesAt } from '../../hooks/arg-path.js';
import { checkFields, configError, kindOf } from '../../hooks/config-error.js';
import type { Answered, ApprovalTerms, Conclusion, HookAnswer, HookContext } from '../../hooks/hook.js';
import { argPathsOf, BuiltinHook, type BuiltinSettings, block } from '../builtin-hook.js';
import { Ledger } from '../ledger.js';
import { formatAmount, readAmount } from './amount.js';
import { OpenCalls } from './open-calls.js';

/** Limits of one call or of a sum, in the one currency. What is just as much is not above. */
export interface SpendBounds {
  readonly askAbove?: number | string | undefined;
  readonly blockAbove?: number | string | undefined;
}

export interface SpendLimitOptions extends BuiltinSettings, SpendBounds {
  /** Where the amount is: `amount`, `items[*].price`. Several are added. */
  readonly amount: string | readonly string[];
  /** Where the currency is, and which one is allowed. @default not looked at */
  readonly currency?: { readonly at: string; readonly is: string } | undefined;
  /** For all calls of a session together, and of a day for a user. */
  readonly perSession?: SpendBounds | undefined;
  readonly perDay?: SpendBounds | undefined;
  /** Where days begin and end. @default 'UTC' */
  readonly timeZone?: string | undefined;
  /** Folder in which sums are kept over restarts. Needed for `perDay` and `perSession`, unless `'memory'` says that they may begin at nothing. */
  readonly folder?: string | undefined;
  readonly terms?: ApprovalTerms | undefined;
}

interface Limits {
  readonly ask: bigint | undefined;
  readonly block: bigint | undefined;
}

interface Taken {
  readonly keys: readonly string[];
  readonly amount: bigint;
}

/** Sessions whose sums are kept: those that were longest not heard of begin at nothing again. */
const MOST_SESSIONS = 100_000;
/** More amounts than that in one call are none that can be told. */
const MOST_AMOUNTS = 10_000;

const OPTIONS = ['amount', 'askAbove', 'blockAbove', 'currency', 'perSession', 'perDay', 'timeZone', 'folder', 'terms'];

/**
 * Asks a person above one amount and blocks above another: of a call, and of all calls of a session or of a user's day. An
 * amount that cannot be told for sure blocks. A call counts once, from when the rules let it through, also while a person is
 * asked about it; not any more once it is denied, by whomever. One whose tool fails has counted.
 */
export class SpendLimit extends BuiltinHook {
  readonly #amounts: ReturnType<typeof argPathsOf>;
  readonly #currency:
    | { readonly steps: ReturnType<typeof argPathsOf>[number]['steps']; readonly at: string; readonly is: string }
    | undefined;
  readonly #call: Limits;
  readonly #session: Limits | undefined;
  readonly #day: Limits | undefined;
  readonly #dayOf: Intl.DateTimeFormat;
  readonly #terms: ApprovalTerms;
  /** Sums as texts of millionths. */
  readonly #ledger: Ledger<string>;
  readonly #open = new OpenCalls<Taken>();
  /** Calls that wait for a person. */
  readonly #asked = new OpenCalls<Taken>();

  private constructor(options: SpendLimitOptions, ledger: Ledger<string>) {
    super('SpendLimit', 'PreToolUse', options, OPTIONS);
    const where = (field: string) => `\`${field}\` of ${this.name}`;
    const { currency, perSession, perDay, folder } = options;
    this.#amounts = argPathsOf(options.amount, where('amount'));
    this.#call = limitsOf(options, this.name, false);
    this.#session = perSession === undefined ? undefined : limitsOf(perSession, where('perSession'), true);
    this.#day = perDay === undefined ? undefined : limitsOf(perDay, where('perDay'), true);
    const hasSums = this.#session !== undefined || this.#day !== undefined;
    if (!hasSums && this.#call.ask === undefined && this.#call.block === undefined)
      throw configError(`${this.name} has no limit: it would allow everything.`);
    if (hasSums && folder === undefined)
      throw configError(
        `${this.name} needs a \`folder\` for its sums, or \`folder: memory\` if they may begin at nothing with each start.`,
      );
    this.#currency = currency === undefined ? undefined : currencyOf(currency, where('currency'));
    try {
      this.#dayOf = new Intl.DateTimeFormat('en-CA', {
        timeZone: options.timeZone ?? 'UTC',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      });
    } catch (cause) {
      throw configError(`${where('timeZone')} is none: ${kindOf(options.timeZone)}.`, cause);
    }
    this.#terms = options.terms ?? {};
    this.#ledger = ledger;
  }

  /** @throws ObserverError `HO_POLICY_CONFIG`; `HO_POLICY_STORE` for the folder. */
  static async open(options: SpendLimitOptions): Promise<SpendLimit> {
    checkFields(options, Object.keys(options), 'SpendLimit');
    const { folder } = options;
    new SpendLimit(options, await Ledger.open(undefined, isSum));
    const limit = new SpendLimit(options, await Ledger.open(folder === 'memory' ? undefined : folder, isSum));
    limit.#forgetOldDays();
    return limit;
  }

  execute(context: HookContext): HookAnswer {
    const amount = this.#amountOf(context.args);
    if (typeof amount === 'string') return block(amount);
    // Asked once more, maybe with other arguments: what was taken for it does not count twice.
    this.#giveBack(this.#open.take(context.decisionId));
    const bounds: (readonly [name: string, sum: bigint, limits: Limits])[] = [['The amount', amount, this.#call]];
    const keys: string[] = [];
    if (this.#session !== undefined) {
      if (context.sessionId === '') return block('The session is not known, and the limit is for a session.');
      keys.push(JSON.stringify(['session', context.sessionId]));
      bounds.push(['The sum of this session', amount + this.#sum(keys.at(-1) ?? ''), this.#session]);
    }
    if (this.#day !== undefined) {
      keys.push(JSON.stringify(['day', this.#dayOf.format(new Date()), context.user]));
      bounds.push(['The sum of this day', amount + this.#sum(keys.at(-1) ?? ''), this.#day]);
    }
    const over = bounds.find(([, sum, limits]) => limits.block !== undefined && sum > limits.block);
    if (over !== undefined)
      return block(
        `${over[0]} would be ${formatAmount(over[1])}, above the limit of ${formatAmount(over[2].block ?? 0n)}.`,
      );
    this.#take(context.decisionId, { keys, amount });
    const asked = bounds.find(([, sum, limits]) => limits.ask !== undefined && sum > limits.ask);
    if (asked === undefined) return undefined;
    return {
      ask: {
        title: `${asked[0]} is ${formatAmount(asked[1])}, above ${formatAmount(asked[2].ask ?? 0n)}.`,
        ...this.#terms,
      },
    };
  }

  /** What was spent is on disk before the call runs. */
  async concluded({ decisionId }: HookContext, { outcome }: Conclusion): Promise<void> {
    const taken = this.#open.take(decisionId);
    if (taken === undefined) return;
    if (outcome === 'deny') return this.#giveBack(taken);
    if (outcome === 'ask') this.#asked.set(decisionId, taken);
    await this.#save(taken);
  }

  /** What was not spent is given back, on disk too: a crash before that leaves it counted. */
  async answered({ decisionId }: HookContext, { outcome }: Answered): Promise<void> {
    const taken = this.#asked.take(decisionId);
    if (taken === undefined || outcome === 'allow') return;
    this.#giveBack(taken);
    await this.#save(taken);
  }

  close(): Promise<void> {
    return this.#ledger.close();
  }

  /** A text: why there is none that can be told. */
  #amountOf(args: HookContext['args']): bigint | string {
    if (this.#currency !== undefined) {
      const { steps, at, is } = this.#currency;
      const found = valuesAt(args, steps);
      if (found.length === 0) return `There is no currency at \`${at}\`.`;
      if (found.some((value) => value !== is))
        return `A currency at \`${at}\` is not ${is}, the only one that limits are for.`;
    }
    let total = 0n;
    for (const { path, steps } of this.#amounts) {
      const found = valuesAt(args, steps);
      if (found.length === 0) return `There is no amount at \`${path}\`.`;
      if (found.length > MOST_AMOUNTS) return `There are more than ${MOST_AMOUNTS} amounts at \`${path}\`.`;
      for (const value of found) {
        const amount = readAmount(value);
        if (typeof amount === 'string') return `The amount at \`${path}\` ${amount}.`;
        total += amount;
      }
    }
    return total;
  }

  #sum(key: string): bigint {
    return BigInt(this.#ledger.get(key) ?? '0');
  }

  #take(decisionId: string, taken: Taken): void {
    this.#open.set(decisionId, taken);
    for (const key of taken.keys) {
      const sum = String(this.#sum(key) + taken.amount);
      // Last in the order of the ledger: what stands first there was not heard of for longest.
      this.#ledger.forget(key);
      this.#ledger.set(key, sum);
    }
    if (this.#ledger.size > MOST_SESSIONS) this.#forgetOld();
  }

  #giveBack(taken: Taken | undefined): void {
    for (const key of taken?.keys ?? []) {
      const left = this.#sum(key) - (taken?.amount ?? 0n);
      // A sum that was forgotten meanwhile has nothing to give back.
      if (this.#ledger.get(key) !== undefined) this.#ledger.set(key, String(left < 0n ? 0n : left));
    }
  }

  async #save({ keys }: Taken): Promise<void> {
    await Promise.all(keys.map((key) => this.#ledger.save(key)));
  }

  #forgetOld(): void {
    this.#forgetOldDays();
    for (const [key] of this.#ledger.entries()) {
      // More than one: the next call is not to look through all of them again.
      if (this.#ledger.size <= 0.9 * MOST_SESSIONS) return;
      if (key.startsWith('["session",')) this.#ledger.forget(key);
    }
  }

  /** Days that are over for two days count in no time zone any more. */
  #forgetOldDays(): void {
    const oldest = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10);
    for (const [key] of this.#ledger.entries()) {
      const [kind, day] = JSON.parse(key) as [string, string];
      if (kind === 'day' && day < oldest) this.#ledger.forget(key);
    }
  }
}

function limitsOf(bounds: SpendBounds, where: string, isSum: boolean): Limits {
  if (isSum) checkFields(bounds, ['askAbove', 'blockAbove'], where);
  const read = (field: 'askAbove' | 'blockAbove') => {
    const value = bounds[field];
    if (value === undefined) return undefined;
    const amount = readAmount(value);
    if (typeof amount === 'string') throw configError(`\`${field}\` of ${where} ${amount}.`);
    return amount;
  };
  const [ask, blocked] = [read('askAbove'), read('blockAbove')];
  if (isSum && ask === undefined && blocked === undefined)
    throw configError(`${where} has neither \`askAbove\` nor \`blockAbove\`.`);
  if (ask !== undefined && blocked !== undefined && ask >= blocked)
    throw configError(`\`askAbove\` of ${where} must be less than \`blockAbove\`: nobody would be asked.`);
  return { ask, block: blocked };
}

function currencyOf(given: { readonly at: string; readonly is: string }, where: string) {
  checkFields(given, ['at', 'is'], where);
  const [path] = argPathsOf(given.at, `${where}, \`at\`,`);
  if (typeof given.is !== 'string' || given.is === '' || path === undefined)
    throw configError(`${where} needs \`at\` and \`is\`.`);
  return { steps: path.steps, at: path.path, is: given.is };
}

const isSum = (value: unknown): value is string => typeof value === 'string' && /^\d{1,60}$/.test(value);

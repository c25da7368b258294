import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Conclusion } from '../../hooks/hook.js';
import { registerHook } from '../../hooks/registered-hook.js';
import { contextOf } from '../hook-context.test-support.js';
import { formatAmount, readAmount, SCALE } from './amount.js';
import { SpendLimit, type SpendLimitOptions } from './spend-limit.js';

const folder = () => join(mkdtempSync(join(tmpdir(), 'spend-')), 'sums');
let count = 0;
afterEach(() => vi.useRealTimers());

async function spend(
  limit: SpendLimit,
  args: object,
  more: object = {},
  outcome?: Conclusion['outcome'],
): Promise<string> {
  const context = contextOf({ decisionId: `d${++count}`, args: args as Record<string, unknown>, ...more });
  const answer = await limit.execute(context);
  const said = answer?.allow === false ? 'deny' : answer?.ask === undefined ? 'allow' : 'ask';
  await limit.concluded(context, { outcome: outcome ?? said, kind: undefined, reason: undefined, by: [] });
  return said === 'deny' ? (answer?.error ?? '') : said;
}

const both: SpendLimitOptions = { amount: 'amount', askAbove: 100, blockAbove: 1000 };

describe('SpendLimit: one call', () => {
  it.each<[unknown, string]>([
    [0, 'allow'],
    [100, 'allow'],
    ['100.00', 'allow'],
    [100.01, 'ask'],
    ['1000', 'ask'],
    [1000.000001, 'above the limit of 1000'],
    [1000.0000001, 'above the limit of 1000'],
    [1e21, 'above the limit'],
    ['1,000.00', 'is no plain number'],
    ['1.000', 'could be read in two ways'],
    ['1.000,00', 'is no plain number'],
    ['1e2', 'is no plain number'],
    ['0x10', 'is no plain number'],
    [' 5', 'is no plain number'],
    ['5 EUR', 'is no plain number'],
    ['+5', 'is no plain number'],
    ['٥', 'is no plain number'],
    ['', 'is no plain number'],
    ['Infinity', 'is no plain number'],
    [-1, 'is negative'],
    ['-1', 'is negative'],
    [-0, 'allow'],
    [Number.NaN, 'is no number'],
    [Number.POSITIVE_INFINITY, 'is no number'],
    [null, 'is no number'],
    [true, 'is no number'],
    [[5], 'is no number'],
    [{ valueOf: () => 5 }, 'is no number'],
    [5n, 'is no number'],
  ])('%s: %s', async (amount, said) => expect(await spend(await SpendLimit.open(both), { amount })).toContain(said));

  it('denies a call without an amount, and one with two', async () => {
    const limit = await SpendLimit.open({ ...both, amount: ['amount', 'items[*].price'] });
    registerHook(limit, 1);
    expect(await spend(limit, { amount: 1 })).toContain('no amount at `items[*].price`');
    expect(await spend(limit, { amount: 1, items: [{ price: 50 }, { price: 49 }] })).toBe('allow');
    expect(await spend(limit, { amount: 1, items: [{ price: 50 }, { price: 50 }] })).toBe('ask');
    expect(await spend(limit, { amount: 1, items: [{ price: 50 }, { price: '1,0' }] })).toContain('no plain number');
  });

  it('denies other currencies, two of them, and none', async () => {
    const limit = await SpendLimit.open({
      ...both,
      amount: 'items[*].amount',
      currency: { at: 'items[*].currency', is: 'EUR' },
    });
    const item = (currency?: unknown) => ({ amount: 1, currency });
    expect(await spend(limit, { items: [item('EUR'), item('EUR')] })).toBe('allow');
    expect(await spend(limit, { items: [item('EUR'), item('JPY')] })).toContain('not EUR');
    expect(await spend(limit, { items: [item('eur')] })).toContain('not EUR');
    expect(await spend(limit, { items: [{ amount: 1 }] })).toContain('no currency');
  });

  it('gives a person the amount and the terms', async () => {
    const limit = await SpendLimit.open({ ...both, terms: { approvers: ['slack:U1'] } });
    expect(await limit.execute(contextOf({ args: { amount: 250.5 } }))).toEqual({
      ask: { title: 'The amount is 250.50, above 100.', approvers: ['slack:U1'] },
    });
  });
});

describe('SpendLimit: sums', () => {
  const daily: SpendLimitOptions = { amount: 'amount', perDay: { askAbove: 50, blockAbove: 100 }, folder: 'memory' };

  it('adds up exactly, for a user and a day', async () => {
    const limit = await SpendLimit.open(daily);
    for (let i = 0; i < 500; i++) expect(await spend(limit, { amount: 0.1 }, { user: 'a' })).toBe('allow');
    expect(await spend(limit, { amount: 0.1 }, { user: 'a' })).toBe('ask');
    expect(await spend(limit, { amount: 60 }, { user: 'a' })).toContain(
      'The sum of this day would be 110.10, above the limit of 100',
    );
    expect(await spend(limit, { amount: 49 }, { user: 'a' })).toBe('ask');
    expect(await spend(limit, { amount: 1 }, { user: 'b' })).toBe('allow');
  });

  it('begins anew with the day of the time zone', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T22:30:00Z') });
    const limit = await SpendLimit.open({ ...daily, timeZone: 'Europe/Berlin' });
    expect(await spend(limit, { amount: 50 })).toBe('allow');
    expect(await spend(limit, { amount: 1 })).toBe('ask');
    vi.setSystemTime(new Date('2026-03-01T23:30:00Z'));
    expect(await spend(limit, { amount: 50 })).toBe('allow');
  });

  it('counts a call once, as it was when it was last asked about, and not if it is denied', async () => {
    const limit = await SpendLimit.open({ ...daily, perDay: { blockAbove: 100 } });
    const ask = (amount: number) => limit.execute(contextOf({ decisionId: 'same', args: { amount } }));
    expect([await ask(90), await ask(95), await ask(60)]).toEqual([undefined, undefined, undefined]);
    await limit.concluded(contextOf({ decisionId: 'same' }), {
      outcome: 'allow',
      kind: undefined,
      reason: undefined,
      by: [],
    });
    expect(await spend(limit, { amount: 40 }, {}, 'deny')).toBe('allow');
    expect(await spend(limit, { amount: 40 })).toBe('allow');
    expect(await spend(limit, { amount: 0.01 })).toContain('above the limit');
  });

  it('never lets more through when many come at once', async () => {
    const limit = await SpendLimit.open({ ...daily, perDay: { blockAbove: 100 }, folder: folder() });
    const said = await Promise.all(Array.from({ length: 50 }, () => spend(limit, { amount: 30 })));
    expect(said.filter((one) => one === 'allow')).toHaveLength(3);
    await limit.close();
  });

  it('is kept over a restart', async () => {
    const at = folder();
    const options: SpendLimitOptions = {
      ...daily,
      perDay: { blockAbove: 100 },
      perSession: { blockAbove: 70 },
      folder: at,
    };
    const first = await SpendLimit.open(options);
    expect(await spend(first, { amount: 60 })).toBe('allow');
    await first.close();
    const second = await SpendLimit.open(options);
    expect(await spend(second, { amount: 11 })).toContain('The sum of this session');
    expect(await spend(second, { amount: 41 }, { sessionId: 's2' })).toContain('The sum of this day');
    expect(await spend(second, { amount: 1 }, { sessionId: '' })).toContain('session is not known');
    await second.close();
  });

  it('does not begin at nothing where a part of its sums is lost', async () => {
    const at = folder();
    const first = await SpendLimit.open({ ...daily, folder: at });
    for (let i = 0; i < 5; i++) await spend(first, { amount: 10 });
    await first.close();
    const [name] = readdirSync(at).filter((file) => !file.startsWith('lock'));
    const path = join(at, name ?? '');
    const bytes = readFileSync(path);
    const middle = Math.floor(bytes.length / 2);
    bytes.fill(0xff, middle, middle + 4);
    writeFileSync(path, bytes);
    await expect(SpendLimit.open({ ...daily, folder: at })).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
  });

  it.each<[string, object, string]>([
    ['a typo', { ...both, blockAbov: 1 }, 'Did you mean `blockAbove`'],
    ['no limit', { amount: 'a' }, 'has no limit'],
    ['a limit that is none', { amount: 'a', blockAbove: '1,000' }, 'no plain number'],
    ['limits the wrong way round', { amount: 'a', askAbove: 5, blockAbove: 5 }, 'nobody would be asked'],
    ['sums without a folder', { amount: 'a', perDay: { blockAbove: 5 } }, 'needs a `folder`'],
    ['a sum without a limit', { amount: 'a', perDay: {}, folder: 'memory' }, 'has neither'],
    ['a time zone', { ...both, timeZone: 'Mars' }, 'is none'],
    ['a currency', { ...both, currency: { at: 'c' } }, 'needs `at` and `is`'],
  ])('stops at %s', async (_name, options, message) => {
    await expect(SpendLimit.open(options as SpendLimitOptions)).rejects.toThrow(message);
  });
});

describe('readAmount', () => {
  it('is never less than what a number is', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (value) => {
        const amount = readAmount(value);
        expect(typeof amount).toBe('bigint');
        expect(Number(amount) / Number(SCALE)).toBeGreaterThanOrEqual(value * (1 - 1e-12));
        expect(Number(amount) / Number(SCALE)).toBeLessThanOrEqual(value + 2e-6);
      }),
    );
    expect(formatAmount(readAmount('12.5') as bigint)).toBe('12.50');
  });
});

describe('what an agent can make it keep', () => {
  it('is bounded: sessions that were longest not heard of are forgotten', async () => {
    const limit = await SpendLimit.open({ amount: 'amount', perSession: { blockAbove: 100 }, folder: 'memory' });
    await spend(limit, { amount: 90 }, { sessionId: 'first' });
    for (let i = 0; i < 60_000; i++) await spend(limit, { amount: 1 }, { sessionId: `a${i}` });
    expect(await spend(limit, { amount: 5 }, { sessionId: 'first' })).toBe('allow');
    for (let i = 0; i < 45_000; i++) await spend(limit, { amount: 1 }, { sessionId: `b${i}` });
    expect(await spend(limit, { amount: 10 }, { sessionId: 'first' })).toContain('above the limit');
    expect(await spend(limit, { amount: 100 }, { sessionId: 'a0' })).toBe('allow');
  });

  it('is bounded in one call', async () => {
    const limit = await SpendLimit.open({ amount: 'items[*]', blockAbove: 1e9 });
    expect(await spend(limit, { items: Array(10_001).fill(1) })).toContain('more than 10000 amounts');
  });
});

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Approval, placeOf } from '../approvals/approval.js';
import { approvalOf, HOSTILE, rememberedOf, T0 } from './approval-fixture.test-support.js';
import type { ApprovalStore } from './approval-store.js';

/** A place where a store can be opened, closed and opened again. */
export interface StorePlace {
  open(): Promise<ApprovalStore>;
  /** Ends it as a crash does: nothing is said, nothing is written. */
  crash(store: ApprovalStore): Promise<void>;
  remove(): Promise<void>;
}

/** How long a crashed process may seem alive at most. */
const GONE_MS = 8_000;
const by = (id: string) => ({ channel: 'one', id });
const states = (approvals: readonly Approval[]) => approvals.map(({ id, state }) => `${id} ${state}`).sort();

/** What every store has to do, whatever it is made of. */
export function itKeepsApprovals(place: () => Promise<StorePlace>): void {
  let at: StorePlace;
  let store: ApprovalStore;
  beforeEach(async () => {
    at = await place();
    store = await at.open();
  });
  afterEach(async () => {
    await store?.close();
    await at?.remove();
  });

  it('makes one approval of a key, however many ask for it at once', async () => {
    const made = Array.from({ length: 20 }, () => approvalOf({ idempotencyKey: 'one key' }));
    const results = await Promise.all(made.map((approval) => store.create(approval)));
    expect(results.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(results.map(({ approval }) => approval.id)).size).toBe(1);
    expect(await store.find('one key')).toEqual(results[0]?.approval);
    expect(await store.find('another key')).toBeUndefined();
    expect(await store.get('no such id')).toBeUndefined();
  });

  it('lets one of 50 deciders win', async () => {
    const { approval } = await store.create(approvalOf());
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        store.move(approval.id, ['pending'], i % 2 === 0 ? 'approved' : 'rejected', {
          at: T0 + 1,
          decider: by(`U${i}`),
        }),
      ),
    );
    const winners = results.filter((result) => result !== undefined);
    expect(winners).toHaveLength(1);
    expect(await store.get(approval.id)).toEqual(winners[0]);
    expect(winners[0]?.decidedAt).toBe(T0 + 1);
  });

  it('lets one of 20 claims win, and goes no way that was not asked for', async () => {
    const { approval } = await store.create(approvalOf());
    const { id } = approval;
    expect(await store.move(id, ['approved'], 'executing', { at: T0, owner: 'x' })).toBeUndefined();
    expect(await store.move('no such id', ['pending'], 'approved', { at: T0 })).toBeUndefined();
    await store.move(id, ['pending'], 'approved', { at: T0 + 1, decider: by('U1'), comment: HOSTILE });
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => store.move(id, ['approved'], 'executing', { at: T0 + 2, owner: store.owner })),
    );
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect(await store.move(id, ['pending'], 'cancelled', { at: T0 + 3 })).toBeUndefined();
    const settled = await store.move(id, ['executing', 'outcome_unknown'], 'executed', { at: T0 + 3 });
    expect(settled).toEqual({
      ...approval,
      state: 'executed',
      decidedAt: T0 + 1,
      decider: by('U1'),
      comment: HOSTILE,
      owner: store.owner,
      executingAt: T0 + 2,
      settledAt: T0 + 3,
    });
  });

  it('decides nothing once it has expired, whatever the state says', async () => {
    const { approval } = await store.create(approvalOf({ expiresAt: T0 + 10 }));
    for (const to of ['approved', 'rejected'] as const) {
      expect(await store.move(approval.id, ['pending'], to, { at: T0 + 10, decider: by('U1') })).toBeUndefined();
    }
    expect((await store.get(approval.id))?.state).toBe('pending');
    expect((await store.move(approval.id, ['pending'], 'approved', { at: T0 + 9 }))?.state).toBe('approved');
  });

  it('expires those whose time is over, and no others', async () => {
    const times = [T0 + 30, T0 + 10, null, T0 + 20, T0 + 10];
    const made = await Promise.all(times.map((expiresAt) => store.create(approvalOf({ expiresAt }))));
    const ids = made.map(({ approval }) => approval.id);
    expect(await store.nextExpiry()).toBe(T0 + 10);
    await store.move(ids[1] ?? '', ['pending'], 'approved', { at: T0 });
    expect(await store.expire(T0 + 9)).toEqual([]);
    expect(states(await store.expire(T0 + 20))).toEqual([`${ids[3]} expired`, `${ids[4]} expired`].sort());
    expect(await store.expire(T0 + 20)).toEqual([]);
    expect(await store.nextExpiry()).toBe(T0 + 30);
    expect((await store.get(ids[4] ?? ''))?.decidedAt).toBe(T0 + 20);
    await store.expire(T0 + 1000);
    expect(await store.nextExpiry()).toBeUndefined();
    expect((await store.get(ids[2] ?? ''))?.state).toBe('pending');
  });

  it('keeps where it was shown and the tokens of each place, of texts of any kind', async () => {
    const { approval } = await store.create(
      approvalOf({ title: HOSTILE, sessionId: HOSTILE, args: JSON.stringify({ [HOSTILE]: HOSTILE }) }),
    );
    const one = { channel: 'one', tenant: HOSTILE, chat: 'c', message: HOSTILE };
    const two = { channel: HOSTILE, tenant: '', chat: '', message: '2' };
    await store.shown(approval.id, one, 'hash 1');
    await store.shown(approval.id, two, 'hash 2');
    const again = { ...one, message: 'again' };
    await store.shown(approval.id, again, 'hash 3');
    await store.shown(approval.id, one, 'hash 4');
    const kept = await store.get(approval.id);
    expect(kept).toEqual({
      ...approval,
      messages: [one, two, again, one],
      tokenHashes: { [placeOf(one)]: ['hash 1', 'hash 4'], [placeOf(two)]: ['hash 2'], [placeOf(again)]: ['hash 3'] },
    });
    expect(await store.list({ sessionId: HOSTILE })).toEqual([kept]);
    expect((await store.move(approval.id, ['pending'], 'approved', { at: T0 }))?.messages).toHaveLength(4);
  });

  it('lists by state and session, oldest first, in pages', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) {
      ids.push((await store.create(approvalOf({ sessionId: i % 2 === 0 ? 'even' : 'odd' }))).approval.id);
    }
    await store.move(ids[2] ?? '', ['pending'], 'rejected', { at: T0 });
    const listed = async (filter: object) => (await store.list(filter)).map(({ id }) => ids.indexOf(id));
    expect(await listed({})).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await listed({ states: ['pending'], sessionId: 'even' })).toEqual([0, 4, 6]);
    expect(await listed({ states: ['rejected', 'approved'] })).toEqual([2]);
    expect(await listed({ states: [] })).toEqual([]);
    expect(await listed({ limit: 2 })).toEqual([0, 1]);
    expect(await listed({ limit: 3, after: ids[1], states: ['pending'] })).toEqual([3, 4, 5]);
  });

  it('takes an event of a channel once while it is kept', async () => {
    const takes = await Promise.all(Array.from({ length: 20 }, () => store.takeEvent('one', HOSTILE, T0, 1000)));
    expect(takes.filter(Boolean)).toHaveLength(1);
    expect(await store.takeEvent('two', HOSTILE, T0, 1000)).toBe(true);
    expect(await store.takeEvent('one', HOSTILE, T0 + 999, 1000)).toBe(false);
    expect(await store.takeEvent('one', HOSTILE, T0 + 1000, 1000)).toBe(true);
  });

  it('remembers answers until they end or are revoked, newest first', async () => {
    const [first, second] = [rememberedOf(), rememberedOf({ expiresAt: T0 + 10, tool: HOSTILE })];
    await store.remember(first);
    await store.remember(second);
    expect(await store.remembered(T0)).toEqual([second, first]);
    expect(await store.remembered(T0 + 10)).toEqual([first]);
    expect(await store.revoke(second.id, T0 + 10)).toBe(false);
    expect(await store.revoke(first.id, T0 + 1)).toBe(true);
    expect(await store.revoke(first.id, T0 + 1)).toBe(false);
    expect(await store.revoke('none', T0)).toBe(false);
    expect(await store.remembered(T0)).toEqual([second]);
  });

  it('tells of each change', async () => {
    const told: string[] = [];
    const end = store.onChange?.((id) => told.push(id));
    const { approval } = await store.create(approvalOf({ expiresAt: T0 + 1 }));
    const other = (await store.create(approvalOf())).approval;
    await store.move(other.id, ['pending'], 'approved', { at: T0 });
    await store.expire(T0 + 5);
    await vi.waitFor(() => expect(told).toEqual(expect.arrayContaining([approval.id, other.id])), 5_000);
    end?.();
    const count = told.length;
    await store.move(other.id, ['approved'], 'executing', { at: T0, owner: '' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(told).toHaveLength(count);
  });

  it('has all of it when it is opened again', async () => {
    const pending = (await store.create(approvalOf({ expiresAt: null }))).approval;
    await store.shown(pending.id, { channel: 'one', tenant: 't', chat: 'c', message: 'm' }, 'hash');
    const done = (await store.create(approvalOf())).approval;
    await store.move(done.id, ['pending'], 'rejected', { at: T0 + 1, decider: by('U1'), comment: 'no' });
    const entry = rememberedOf({ expiresAt: T0 * 2 });
    await store.remember(entry);
    await store.takeEvent('one', 'event', Date.now(), 100_000);
    const before = await store.list({});
    await store.close();
    store = await at.open();
    expect(await store.list({})).toEqual(before);
    expect(await store.find(done.idempotencyKey)).toEqual(before[1]);
    expect(await store.remembered(T0)).toEqual([entry]);
    expect(await store.takeEvent('one', 'event', Date.now(), 100_000)).toBe(false);
    expect(await store.create({ ...approvalOf(), idempotencyKey: pending.idempotencyKey })).toEqual({
      approval: before[0],
      isNew: false,
    });
  });

  it('gives up what was executing in a process that is gone, and nothing else', async () => {
    const make = async (owner: string) => {
      const { id } = (await store.create(approvalOf())).approval;
      await store.move(id, ['pending'], 'approved', { at: T0 });
      if (owner !== '') await store.move(id, ['approved'], 'executing', { at: T0, owner });
      return id;
    };
    const waiting = await make('');
    const running = await make(store.owner);
    expect(await store.abandon(T0)).toEqual([]);
    expect((await store.get(running))?.state).toBe('executing');
    await at.crash(store);
    store = await at.open();
    const abandoned: Approval[] = [];
    await vi.waitFor(async () => {
      abandoned.push(...(await store.abandon(T0 + 5)));
      expect(abandoned).toHaveLength(1);
    }, GONE_MS);
    expect(abandoned[0]).toMatchObject({ id: running, state: 'outcome_unknown', settledAt: T0 + 5 });
    expect((await store.get(waiting))?.state).toBe('approved');
    const own = await make(store.owner);
    expect(await store.abandon(T0)).toEqual([]);
    expect((await store.get(own))?.state).toBe('executing');
  }, 20_000);
}

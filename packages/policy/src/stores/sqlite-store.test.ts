import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { approvalOf, T0 } from './approval-fixture.test-support.js';
import { describeWhere } from './describe-where.test-support.js';
import { hasSqlite, openSqliteStore } from './sqlite-store.js';
import { itKeepsApprovals } from './store-contract.test-support.js';

const isHere = hasSqlite();
const missing = isHere ? undefined : `Node.js ${process.versions.node} has no node:sqlite`;

describeWhere(missing, 'the SQLite store', () => {
  itKeepsApprovals(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
    return {
      open: () => openSqliteStore(join(folder, 'own/approvals.sqlite'), { leaseMs: 900 }),
      crash: (store) => store.close(),
      remove: async () => rmSync(folder, { recursive: true }),
    };
  });
});

describeWhere(missing, 'one SQLite file of several processes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is readable by its user alone, and tells of what another connection changed', async () => {
    const path = join(folder, 'a.sqlite');
    const [one, two] = await Promise.all([openSqliteStore(path), openSqliteStore(path)]);
    expect(statSync(path).mode & 0o077).toBe(0);
    const told: string[] = [];
    two.onChange?.((id) => told.push(id));
    const { approval } = await one.create(approvalOf());
    expect((await two.move(approval.id, ['pending'], 'approved', { at: T0 }))?.state).toBe('approved');
    expect(told).toEqual([approval.id]);
    await one.move(approval.id, ['approved'], 'executing', { at: T0, owner: one.owner });
    await vi.waitFor(() => expect(told).toContain(''), 5_000);
    expect((await two.get(approval.id))?.owner).toBe(one.owner);
    await Promise.all([one.close(), two.close()]);
  });
});

describeWhere(missing, 'an SQLite file over time', () => {
  it('lets go of what ended long ago, and of nothing that is open', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
    const store = await openSqliteStore(join(folder, 'a.sqlite'), { leaseMs: 300, keepMs: 1000 });
    const kept = (await store.create(approvalOf({ expiresAt: null }))).approval;
    const old = (await store.create(approvalOf({ expiresAt: null }))).approval;
    await store.move(old.id, ['pending'], 'rejected', { at: T0 });
    await vi.waitFor(async () => expect(await store.list({})).toEqual([kept]), 5_000);
    await store.close();
    rmSync(folder, { recursive: true });
  });
});

describeWhere(isHere ? 'it has SQLite' : undefined, 'a runtime without SQLite', () => {
  it('says so', async () => {
    await expect(openSqliteStore('/nowhere')).rejects.toMatchObject({ code: 'HO_PEER_MISSING' });
  });
});

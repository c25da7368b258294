import { createRequire } from 'node:module';
import { afterAll, beforeAll, beforeEach, expect, it, type TestContext, vi } from 'vitest';
import type { Approval } from '../approvals/approval.js';
import { approvalOf, T0 } from './approval-fixture.test-support.js';
import { describeWhere } from './describe-where.test-support.js';
import type { PgPool } from './postgres-driver.js';
import { type PostgresServer, startPostgres } from './postgres-server.test-support.js';
import { openPostgresStore } from './postgres-store.js';
import { itKeepsApprovals } from './store-contract.test-support.js';

const started = await startPostgres();
const why = typeof started === 'string' ? started : undefined;
const server = started as PostgresServer;
afterAll(() => (why === undefined ? server.stop() : undefined));

let schemas = 0;
const newSchema = () => `s${++schemas}`;

function open(schema: string, leaseMs = 900) {
  return openPostgresStore({ connectionString: server.url, schema, leaseMs });
}

describeWhere(why, 'the PostgreSQL store', () => {
  itKeepsApprovals(async () => {
    const schema = newSchema();
    return { open: () => open(schema), crash: (store) => store.close(), remove: async () => undefined };
  });
});

describeWhere(why, 'one database of several processes', () => {
  it('makes its tables once, however many open it at once', async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 8 }, () => open(schema)));
    const { approval } = await (stores[0] as (typeof stores)[0]).create(approvalOf());
    for (const store of stores) expect(await store.get(approval.id)).toEqual(approval);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('tells every process of a change, also after the server was gone', async () => {
    const schema = newSchema();
    const [one, two] = await Promise.all([open(schema), open(schema)]);
    const told: string[] = [];
    two.onChange?.((id) => told.push(id));
    const { approval } = await one.create(approvalOf());
    await vi.waitFor(() => expect(told).toEqual(['']), 5_000);
    await one.move(approval.id, ['pending'], 'approved', { at: T0 });
    await vi.waitFor(() => expect(told).toEqual(['', approval.id]), 5_000);
    await server.restart();
    // Connections that are dead are found when they are used.
    const move = () => one.move(approval.id, ['approved'], 'executing', { at: T0, owner: one.owner });
    const claims: unknown[] = [];
    await vi.waitFor(async () => claims.push(await move()), 10_000);
    await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(3), 15_000);
    expect((await two.get(approval.id))?.state).toBe('executing');
    await Promise.all([one.close(), two.close()]);
  }, 40_000);

  it('expires each one in one process only, without deadlocks', async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 4 }, () => open(schema)));
    const [first] = stores;
    await Promise.all(Array.from({ length: 300 }, () => first?.create(approvalOf({ expiresAt: T0 + 1 }))));
    const expired = await Promise.all(stores.map((store) => store.expire(T0 + 2)));
    const ids = expired.flat().map(({ id }: Approval) => id);
    expect(ids).toHaveLength(300);
    expect(new Set(ids).size).toBe(300);
    await Promise.all(stores.map((store) => store.close()));
  });

  it('lets go of what ended long ago, and of nothing that is open', async () => {
    const store = await openPostgresStore({
      connectionString: server.url,
      schema: newSchema(),
      leaseMs: 300,
      keepMs: 1000,
    });
    const kept = (await store.create(approvalOf({ expiresAt: null }))).approval;
    const old = (await store.create(approvalOf({ expiresAt: null }))).approval;
    await store.shown(old.id, { channel: 'one', tenant: '', chat: '', message: '1' }, 'hash');
    await store.move(old.id, ['pending'], 'rejected', { at: T0 });
    await store.takeEvent('one', 'event', T0, 1);
    await vi.waitFor(async () => expect(await store.get(old.id)).toBeUndefined(), 5_000);
    expect(await store.list({})).toEqual([kept]);
    expect((await store.create({ ...old, id: 'again' })).isNew).toBe(true);
    await store.close();
  });

  it('does not take what a process that lives is executing, however long it takes', async () => {
    const schema = newSchema();
    const [one, two] = await Promise.all([open(schema, 600), open(schema, 600)]);
    const { id } = (await one.create(approvalOf())).approval;
    await one.move(id, ['pending'], 'approved', { at: T0 });
    await one.move(id, ['approved'], 'executing', { at: T0, owner: one.owner });
    for (let i = 0; i < 10; i++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await two.abandon(T0)).toEqual([]);
    }
    await Promise.all([one.close(), two.close()]);
  });
});

describeWhere(why, 'what the store is given', () => {
  let pool: PgPool;
  beforeAll(() => {
    const { Pool } = createRequire(import.meta.url)('pg') as { Pool: new (options: object) => PgPool };
    pool = new Pool({ connectionString: server?.url });
    pool.on('error', () => undefined);
  });
  afterAll(() => pool?.end());
  let schema: string;
  beforeEach(() => {
    schema = newSchema();
  });

  it('may be a pool, which stays open', async () => {
    const store = await openPostgresStore({ pool, schema });
    const told: string[] = [];
    store.onChange?.((id) => told.push(id));
    await vi.waitFor(() => expect(told).toEqual(['']), 5_000);
    await store.close();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  });

  it('may be a pooler that has no LISTEN: then there is nothing to hear', async () => {
    const store = await openPostgresStore({ pool, schema, listen: false });
    expect(store.onChange).toBeUndefined();
    await store.close();
  });

  it('is refused when it is wrong, and when the tables are of a newer version', async (_: TestContext) => {
    const wrong = { connectionString: server.url, schema: 'a"; DROP SCHEMA public; --' };
    await expect(openPostgresStore(wrong)).rejects.toMatchObject({ code: 'HO_OPTION' });
    await expect(openPostgresStore({})).rejects.toMatchObject({ code: 'HO_OPTION' });
    const nowhere = openPostgresStore({ connectionString: 'postgres://x@127.0.0.1:1/x' });
    await expect(nowhere).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    const forgetful = `${server.url}?options=-c%20synchronous_commit%3Doff`;
    await expect(openPostgresStore({ connectionString: forgetful })).rejects.toThrow(/synchronous_commit is off/);
    const store = await openPostgresStore({ pool, schema });
    await pool.query(`UPDATE ${schema}.schema_version SET version = 99`);
    await expect(openPostgresStore({ pool, schema })).rejects.toThrow(/version 99/);
    await store.close();
  });
});

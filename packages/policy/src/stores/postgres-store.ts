import { ObserverError } from '@hermes-observer/core';
import { type PgPool, PostgresDriver } from './postgres-driver.js';
import { SqlStore, type SqlStoreOptions } from './sql-store.js';
import { orStoreError, policyStoreError } from './store-error.js';

export interface PostgresStoreOptions extends SqlStoreOptions {
  /** Where the database is, as `pg` takes it. Needs the package `pg`. Either this or `pool`. */
  readonly connectionString?: string | undefined;
  /** A `Pool` of `pg`. It stays open at `close`; one connection of it is held to hear of changes. */
  readonly pool?: PgPool | undefined;
  /** Schema of the tables, made if it is not there: lower-case letters, digits and `_`. @default 'hermes_policy' */
  readonly schema?: string | undefined;
  /** `false` where `LISTEN` does not work, as behind a pooler of transactions: then changes are polled for. @default true */
  readonly listen?: boolean | undefined;
}

const CONNECT_MS = 10_000;
const STATEMENT_MS = 30_000;
const SCHEMA = /^[a-z_][a-z0-9_]{0,40}$/;

/**
 * Approvals in PostgreSQL 12 or newer, for processes on any number of machines.
 * @throws ObserverError `HO_OPTION`, `HO_PEER_MISSING` without `pg`, `HO_POLICY_STORE`.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SqlStore> {
  const { connectionString, schema = 'hermes_policy', listen = true } = options;
  if (!SCHEMA.test(schema)) {
    throw new ObserverError('HO_OPTION', `schema is '${schema}'; use lower-case letters, digits and _ only.`);
  }
  if ((connectionString === undefined) === (options.pool === undefined)) {
    throw new ObserverError('HO_OPTION', 'Give the store either connectionString or pool.');
  }
  const pool = options.pool ?? (await ownPool(connectionString ?? ''));
  const driver = new PostgresDriver(pool, schema, { ownsPool: options.pool === undefined, listens: listen });
  return orStoreError('Cannot open the approvals in PostgreSQL', async () => {
    try {
      await driver.migrate();
      return await SqlStore.open(driver, options);
    } catch (error) {
      await driver.close().catch(() => undefined);
      throw error;
    }
  });
}

async function ownPool(connectionString: string): Promise<PgPool> {
  // By a name that no bundler follows: it is there only for who wants it.
  const name: string = 'pg';
  let pg: { readonly default: { readonly Pool: new (options: object) => PgPool } };
  try {
    pg = await import(name);
  } catch (cause) {
    const text = 'The PostgreSQL store needs the package pg: npm install pg. Or give it a pool.';
    throw new ObserverError('HO_PEER_MISSING', text, { cause });
  }
  try {
    const pool = new pg.default.Pool({
      connectionString,
      connectionTimeoutMillis: CONNECT_MS,
      statement_timeout: STATEMENT_MS,
      query_timeout: STATEMENT_MS + CONNECT_MS,
      keepAlive: true,
      allowExitOnIdle: true,
      application_name: 'hermes-observer-policy',
    });
    // A connection that ends while nobody uses it is replaced when one is needed.
    pool.on('error', () => undefined);
    return pool;
  } catch (cause) {
    throw policyStoreError('Cannot read connectionString', cause);
  }
}

import { PostgresListener } from './postgres-listener.js';
import type { SqlDriver, SqlRow, SqlValue } from './sql-driver.js';
import { MIGRATIONS } from './sql-schema.js';

interface PgResult {
  readonly rows: readonly SqlRow[];
}

/** What is used of a client of `pg`. */
export interface PgClient {
  query(sql: string, values?: readonly SqlValue[]): Promise<PgResult>;
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown;
  on(event: 'error' | 'end', listener: (error?: unknown) => void): unknown;
  removeAllListeners(event: 'notification'): unknown;
  release(destroy?: boolean): void;
}

/** What is used of a pool of `pg`. */
export interface PgPool {
  query(sql: string, values?: readonly SqlValue[]): Promise<PgResult>;
  connect(): Promise<PgClient>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  end(): Promise<void>;
}

/** Any number, the same for all versions: who makes the tables has this lock. */
const MIGRATION_LOCK = 7_366_401_502;

export class PostgresDriver implements SqlDriver {
  readonly prefix: string;
  readonly clock = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
  readonly skipLocked = 'FOR UPDATE SKIP LOCKED';
  readonly onChange?: (listener: (id: string) => void) => () => void;
  readonly #pool: PgPool;
  readonly #schema: string;
  readonly #ownsPool: boolean;
  readonly #listener: PostgresListener | undefined;

  /** @param schema checked: it becomes part of statements. */
  constructor(pool: PgPool, schema: string, { ownsPool, listens }: { ownsPool: boolean; listens: boolean }) {
    this.prefix = `${schema}.`;
    this.#pool = pool;
    this.#schema = schema;
    this.#ownsPool = ownsPool;
    const listener = listens ? new PostgresListener(pool, schema) : undefined;
    this.#listener = listener;
    if (listener !== undefined) this.onChange = (heard) => listener.add(heard);
  }

  async query(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    return (await this.#pool.query(sql, values)).rows;
  }

  check(): void {
    this.#listener?.check();
  }

  async close(): Promise<void> {
    this.#listener?.close();
    if (this.#ownsPool) await this.#pool.end();
  }

  /** Makes the tables, or brings them up to date: all of it or nothing, one process at a time. */
  async migrate(): Promise<void> {
    const client = await this.#pool.connect();
    let isBroken = true;
    try {
      await client.query('BEGIN');
      try {
        await client.query(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`);
        await this.#migrate(client);
        await client.query('COMMIT');
        isBroken = false;
      } catch (error) {
        await client.query('ROLLBACK').then(
          () => {
            isBroken = false;
          },
          () => undefined,
        );
        throw error;
      }
    } finally {
      client.release(isBroken);
    }
  }

  async #migrate(client: PgClient): Promise<void> {
    const { rows: commits } = await client.query('SHOW synchronous_commit');
    // Then `executing` may be forgotten by a crash of the server, and the call run once more.
    if (commits[0]?.synchronous_commit === 'off') {
      throw new Error('synchronous_commit is off: what is committed may be lost. Turn it on for this role or database');
    }
    const schema = this.#schema;
    const { rows: known } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema]);
    // Asked for before, so that a user without the right to make schemas can use one that was made for them.
    if (known.length === 0) await client.query(`CREATE SCHEMA ${schema}`);
    await client.query(`CREATE TABLE IF NOT EXISTS ${schema}.schema_version (version INTEGER NOT NULL)`);
    const { rows } = await client.query(`SELECT version FROM ${schema}.schema_version`);
    const version = Number(rows[0]?.version ?? 0);
    if (version > MIGRATIONS.length) throw new Error(`its tables are of version ${version}, which is newer than this`);
    if (version === MIGRATIONS.length) return;
    const dialect = { prefix: this.prefix, serial: 'BIGSERIAL PRIMARY KEY' };
    for (const migration of MIGRATIONS.slice(version)) for (const sql of migration(dialect)) await client.query(sql);
    await client.query(`CREATE OR REPLACE FUNCTION ${schema}.tell_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_notify('${schema}', NEW.id); RETURN NULL; END $$`);
    await client.query(`DROP TRIGGER IF EXISTS tell_change ON ${schema}.approvals`);
    await client.query(`CREATE TRIGGER tell_change AFTER UPDATE OF state ON ${schema}.approvals
      FOR EACH ROW EXECUTE FUNCTION ${schema}.tell_change()`);
    await client.query(`DELETE FROM ${schema}.schema_version`);
    await client.query(`INSERT INTO ${schema}.schema_version (version) VALUES (${MIGRATIONS.length})`);
  }
}

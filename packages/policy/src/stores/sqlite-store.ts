import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import { ChangeListeners } from './change-listeners.js';
import type { SqlDriver, SqlRow, SqlValue } from './sql-driver.js';
import { MIGRATIONS } from './sql-schema.js';
import { SqlStore, type SqlStoreOptions } from './sql-store.js';
import { orStoreError } from './store-error.js';

/** What is used of `node:sqlite`. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { all(...values: SqlValue[]): SqlRow[] };
  close(): void;
}
type DatabaseClass = new (path: string, options?: { readonly timeout?: number }) => Database;

const WATCH_MS = 250;
const BUSY_MS = 10_000;

/** Whether this Node.js has `node:sqlite`: 22.13 and newer. */
export function hasSqlite(): boolean {
  return databaseClass() !== undefined;
}

function databaseClass(): DatabaseClass | undefined {
  // A warning that it is experimental is the runtime's own business, and is left as it is.
  const module = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown;
  return (module as { readonly DatabaseSync?: DatabaseClass } | undefined)?.DatabaseSync;
}

/**
 * Approvals in an SQLite file of this machine, for several processes. Each change is on the disk before it counts. The file is
 * made if it is not there, readable by its user alone.
 * @throws ObserverError `HO_PEER_MISSING` where the runtime has no `node:sqlite`, `HO_POLICY_STORE`.
 */
export async function openSqliteStore(path: string, options: SqlStoreOptions = {}): Promise<SqlStore> {
  const Database = databaseClass();
  if (Database === undefined) {
    const text = `Node.js ${process.versions.node} has no node:sqlite. Use Node.js 22.13 or newer, or the file store.`;
    throw new ObserverError('HO_PEER_MISSING', text);
  }
  return orStoreError(`Cannot open the approvals in ${path}`, async () => {
    const driver = new SqliteDriver(Database, path);
    try {
      return await SqlStore.open(driver, options);
    } catch (error) {
      await driver.close();
      throw error;
    }
  });
}

class SqliteDriver implements SqlDriver {
  readonly prefix = '';
  readonly clock = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
  readonly skipLocked = '';
  readonly #db: Database;
  readonly #statements = new Map<string, ReturnType<Database['prepare']>>();
  readonly #listeners = new ChangeListeners();
  #watching: NodeJS.Timeout | undefined;
  #version: unknown;

  constructor(Database: DatabaseClass, path: string) {
    if (!existsSync(path)) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      closeSync(openSync(path, 'a', 0o600));
    }
    this.#db = new Database(path, { timeout: BUSY_MS });
    try {
      this.#db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL`);
      this.#migrate();
      for (const suffix of ['-wal', '-shm']) if (existsSync(path + suffix)) chmodSync(path + suffix, 0o600);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  async query(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    const rows = this.#run(sql, values);
    // Changes of this process are not among those that `data_version` tells.
    if (/^\s*UPDATE approvals/.test(sql)) for (const { id } of rows) this.#listeners.tell(String(id));
    return rows;
  }

  onChange(listener: (id: string) => void): () => void {
    const remove = this.#listeners.add(listener);
    this.#version = this.#dataVersion();
    // One for all who listen; it keeps no process alive.
    this.#watching ??= setInterval(() => this.#watch(), WATCH_MS).unref();
    return () => {
      remove();
      if (this.#listeners.size > 0) return;
      clearInterval(this.#watching);
      this.#watching = undefined;
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#watching);
    this.#db.close();
  }

  #run(sql: string, values: readonly SqlValue[]): readonly SqlRow[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql.replace(/\$(\d+)/g, '?$1'));
      if (this.#statements.size < 200) this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  }

  #watch(): void {
    const version = this.#dataVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#listeners.tell('');
  }

  /** Differs when another connection has written. */
  #dataVersion(): unknown {
    return this.#run('PRAGMA data_version', [])[0]?.data_version;
  }

  #migrate(): void {
    const dialect = { prefix: '', serial: 'INTEGER PRIMARY KEY AUTOINCREMENT' };
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const version = Number(this.#run('PRAGMA user_version', [])[0]?.user_version);
      if (version > MIGRATIONS.length)
        throw new Error(`its tables are of version ${version}, which is newer than this`);
      for (const migration of MIGRATIONS.slice(version)) for (const sql of migration(dialect)) this.#db.exec(sql);
      this.#db.exec(`PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}

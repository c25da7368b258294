/** Where databases differ in what makes the tables. */
export interface SqlDialect {
  readonly prefix: string;
  /** Type of a column that numbers its rows. */
  readonly serial: string;
}

/** The statements of each version of the tables, from 1. One that has been released is never changed. */
export const MIGRATIONS: readonly ((dialect: SqlDialect) => readonly string[])[] = [
  ({ prefix, serial }) => [
    // What never changes is JSON in `data`, since JSON escapes what a column of text may not hold.
    `CREATE TABLE ${prefix}approvals (
      seq ${serial},
      id TEXT NOT NULL UNIQUE,
      idempotency_key TEXT NOT NULL UNIQUE,
      session_hash TEXT NOT NULL,
      state TEXT NOT NULL,
      created_at BIGINT NOT NULL,
      expires_at BIGINT,
      decided_at BIGINT,
      decision TEXT,
      owner TEXT NOT NULL DEFAULT '',
      executing_at BIGINT,
      settled_at BIGINT,
      data TEXT NOT NULL
    )`,
    `CREATE INDEX approvals_by_state ON ${prefix}approvals (state, expires_at)`,
    `CREATE TABLE ${prefix}messages (
      seq ${serial},
      approval_id TEXT NOT NULL,
      ref TEXT NOT NULL,
      token_hash TEXT NOT NULL
    )`,
    `CREATE INDEX messages_by_approval ON ${prefix}messages (approval_id)`,
    `CREATE TABLE ${prefix}owners (id TEXT PRIMARY KEY, lease_until BIGINT NOT NULL)`,
    `CREATE TABLE ${prefix}events (id TEXT PRIMARY KEY, until BIGINT NOT NULL)`,
    `CREATE TABLE ${prefix}remembered (
      seq ${serial},
      id TEXT NOT NULL UNIQUE,
      expires_at BIGINT NOT NULL,
      revoked_at BIGINT,
      data TEXT NOT NULL
    )`,
  ],
];

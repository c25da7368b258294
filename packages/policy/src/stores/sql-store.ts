import { randomBytes } from 'node:crypto';
import type { Approval, ApprovalState, MessageRef } from '../approvals/approval.js';
import type { Remembered } from '../approvals/remembered.js';
import type { ApprovalFilter, ApprovalStore, Transition } from './approval-store.js';
import type { SqlDriver, SqlRow, SqlValue } from './sql-driver.js';
import { approvalOf, COLUMNS, hashed } from './sql-rows.js';
import { orStoreError } from './store-error.js';
import { FINISHED } from './transitions.js';

export interface SqlStoreOptions {
  /** Finished approvals are kept for this many milliseconds. @default 30 days */
  readonly keepMs?: number | undefined;
  /**
   * A process that says nothing for so many milliseconds is gone: what it was executing has an unknown outcome. It says
   * something three times in that time. @default 30000
   */
  readonly leaseMs?: number | undefined;
}

const DAY_MS = 86_400_000;
const TIDY_MS = 3_600_000;
const BATCH = 1000;
const DEFAULT_LIMIT = 100;
const inList = (states: readonly string[]) => states.map((state) => `'${state.replaceAll("'", '')}'`).join(', ');

/** Approvals in a database that several processes write to. Each change is one conditional statement. */
export class SqlStore implements ApprovalStore {
  readonly owner = randomBytes(16).toString('base64url');
  readonly isShared = true;
  readonly onChange?: (listener: (id: string) => void) => () => void;
  readonly #driver: SqlDriver;
  readonly #keepMs: number;
  readonly #leaseMs: number;
  #beating: NodeJS.Timeout | undefined;
  #tidyAt = 0;

  private constructor(driver: SqlDriver, { keepMs = 30 * DAY_MS, leaseMs = 30_000 }: SqlStoreOptions) {
    this.#driver = driver;
    this.#keepMs = keepMs;
    this.#leaseMs = leaseMs;
    const { onChange } = driver;
    if (onChange !== undefined) this.onChange = (listener) => onChange.call(driver, listener);
  }

  /** @throws ObserverError `HO_POLICY_STORE`. The tables are there already. */
  static async open(driver: SqlDriver, options: SqlStoreOptions): Promise<SqlStore> {
    const store = new SqlStore(driver, options);
    await store.#beat();
    // A heartbeat that fails is followed by the next one: the lease is three times as long.
    store.#beating = setInterval(() => void store.#upkeep().catch(() => undefined), store.#leaseMs / 3).unref();
    return store;
  }

  async create(approval: Approval): Promise<{ readonly approval: Approval; readonly isNew: boolean }> {
    const { id, idempotencyKey, sessionId, state, createdAt, expiresAt } = approval;
    const made = await this.#query(
      `INSERT INTO $.approvals (id, idempotency_key, session_hash, state, created_at, expires_at, data)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (idempotency_key) DO NOTHING RETURNING id`,
      [id, idempotencyKey, hashed(sessionId), state, createdAt, expiresAt, JSON.stringify(approval)],
    );
    if (made.length > 0) return { approval, isNew: true };
    const known = await this.find(idempotencyKey);
    // It was tidied away between the two statements: then it can be made.
    return known === undefined ? this.create(approval) : { approval: known, isNew: false };
  }

  async get(id: string): Promise<Approval | undefined> {
    return (await this.#approvals(`SELECT ${COLUMNS} FROM $.approvals WHERE id = $1`, [id]))[0];
  }

  async find(idempotencyKey: string): Promise<Approval | undefined> {
    const sql = `SELECT ${COLUMNS} FROM $.approvals WHERE idempotency_key = $1`;
    return (await this.#approvals(sql, [idempotencyKey]))[0];
  }

  list({ states, sessionId, limit = DEFAULT_LIMIT, after }: ApprovalFilter): Promise<readonly Approval[]> {
    const values: SqlValue[] = [limit];
    const tests = ['1 = 1'];
    if (states !== undefined) tests.push(states.length === 0 ? '1 = 0' : `state IN (${inList(states)})`);
    if (sessionId !== undefined) tests.push(`session_hash = $${values.push(hashed(sessionId))}`);
    if (after !== undefined) {
      tests.push(`seq > COALESCE((SELECT seq FROM $.approvals WHERE id = $${values.push(after)}), 0)`);
    }
    const where = tests.join(' AND ');
    return this.#approvals(`SELECT ${COLUMNS} FROM $.approvals WHERE ${where} ORDER BY seq LIMIT $1`, values);
  }

  async move(
    id: string,
    from: readonly ApprovalState[],
    to: ApprovalState,
    change: Transition,
  ): Promise<Approval | undefined> {
    const { at, decider = null, comment = '', owner = '' } = change;
    const values: SqlValue[] = [id, at];
    let set = 'settled_at = $2';
    let test = '';
    if (to === 'executing') {
      // Whoever begins a call is there for all to see before they do.
      await this.#beat();
      set = `executing_at = $2, owner = $${values.push(owner)}`;
    } else if (to !== 'executed' && to !== 'outcome_unknown') {
      set = `decided_at = $2, decision = $${values.push(JSON.stringify({ decider, comment }))}`;
      if (to === 'approved' || to === 'rejected') test = 'AND (expires_at IS NULL OR expires_at > $2)';
    }
    const won = await this.#approvals(
      `UPDATE $.approvals SET state = ${inList([to])}, ${set}
       WHERE id = $1 AND state IN (${inList(from)}) ${test} RETURNING ${COLUMNS}`,
      values,
    );
    return won[0];
  }

  async shown(id: string, ref: MessageRef, tokenHash: string): Promise<void> {
    const sql = 'INSERT INTO $.messages (approval_id, ref, token_hash) VALUES ($1, $2, $3)';
    await this.#query(sql, [id, JSON.stringify(ref), tokenHash]);
  }

  async expire(now: number): Promise<readonly Approval[]> {
    const decision = JSON.stringify({ decider: null, comment: '' });
    const set = `state = 'expired', decided_at = $1, decision = $2`;
    return this.#moveAll(set, `state = 'pending' AND expires_at <= $1`, [now, decision]);
  }

  async nextExpiry(): Promise<number | undefined> {
    const [row] = await this.#query(`SELECT MIN(expires_at) AS next FROM $.approvals WHERE state = 'pending'`, []);
    return row?.next === null || row?.next === undefined ? undefined : Number(row.next);
  }

  abandon(now: number): Promise<readonly Approval[]> {
    const isGone = `NOT EXISTS (SELECT 1 FROM $.owners o WHERE o.id = a.owner AND o.lease_until > ${this.#driver.clock})`;
    return this.#moveAll(`state = 'outcome_unknown', settled_at = $1`, `state = 'executing' AND ${isGone}`, [now]);
  }

  async takeEvent(channel: string, eventId: string, now: number, keepMs: number): Promise<boolean> {
    const taken = await this.#query(
      `INSERT INTO $.events AS e (id, until) VALUES ($1, $3)
       ON CONFLICT (id) DO UPDATE SET until = excluded.until WHERE e.until <= $2 RETURNING id`,
      [hashed(channel, eventId), now, now + keepMs],
    );
    return taken.length > 0;
  }

  async remember(entry: Remembered): Promise<void> {
    const sql = 'INSERT INTO $.remembered (id, expires_at, data) VALUES ($1, $2, $3)';
    await this.#query(sql, [entry.id, entry.expiresAt, JSON.stringify(entry)]);
  }

  async remembered(now: number): Promise<readonly Remembered[]> {
    const sql = 'SELECT data FROM $.remembered WHERE expires_at > $1 AND revoked_at IS NULL ORDER BY seq DESC';
    return (await this.#query(sql, [now])).map(({ data }) => JSON.parse(String(data)) as Remembered);
  }

  async revoke(id: string, now: number): Promise<boolean> {
    const sql = `UPDATE $.remembered SET revoked_at = $2
       WHERE id = $1 AND revoked_at IS NULL AND expires_at > $2 RETURNING id`;
    return (await this.#query(sql, [id, now])).length > 0;
  }

  async close(): Promise<void> {
    clearInterval(this.#beating);
    await this.#query('DELETE FROM $.owners WHERE id = $1', [this.owner]).catch(() => undefined);
    await orStoreError('Cannot close the database of approvals', () => this.#driver.close());
  }

  async #moveAll(set: string, where: string, values: readonly SqlValue[]): Promise<readonly Approval[]> {
    const all: Approval[] = [];
    for (;;) {
      const some = await this.#approvals(
        `UPDATE $.approvals SET ${set} WHERE seq IN (
           SELECT seq FROM $.approvals a WHERE ${where} ORDER BY seq LIMIT ${BATCH} ${this.#driver.skipLocked}
         ) RETURNING ${COLUMNS}`,
        values,
      );
      all.push(...some);
      if (some.length < BATCH) return all;
    }
  }

  async #approvals(sql: string, values: readonly SqlValue[]): Promise<Approval[]> {
    const rows = await this.#query(sql, values);
    if (rows.length === 0) return [];
    const shown = new Map<string, SqlRow[]>(rows.map(({ id }) => [String(id), []]));
    const ids = [...shown.keys()];
    for (let i = 0; i < ids.length; i += BATCH) {
      const some = ids.slice(i, i + BATCH);
      const places = some.map((_, place) => `$${place + 1}`).join(', ');
      const messages = `SELECT approval_id, ref, token_hash FROM $.messages WHERE approval_id IN (${places}) ORDER BY seq`;
      for (const row of await this.#query(messages, some)) shown.get(String(row.approval_id))?.push(row);
    }
    return rows.map((row) => approvalOf(row, shown.get(String(row.id)) ?? []));
  }

  async #beat(): Promise<void> {
    await this.#query(
      `INSERT INTO $.owners (id, lease_until) VALUES ($1, ${this.#driver.clock} + $2)
       ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until`,
      [this.owner, this.#leaseMs],
    );
  }

  async #upkeep(): Promise<void> {
    this.#driver.check?.();
    await this.#beat();
    const now = Date.now();
    if (now < this.#tidyAt) return;
    this.#tidyAt = now + TIDY_MS;
    const finished = `state IN (${inList(FINISHED)}) AND COALESCE(settled_at, decided_at, created_at) < $1`;
    await this.#query(`DELETE FROM $.approvals WHERE ${finished}`, [now - this.#keepMs]);
    await this.#query('DELETE FROM $.messages WHERE approval_id NOT IN (SELECT id FROM $.approvals)', []);
    await this.#query('DELETE FROM $.events WHERE until <= $1', [now]);
    await this.#query('DELETE FROM $.remembered WHERE expires_at <= $1', [now]);
    await this.#query(`DELETE FROM $.owners WHERE lease_until < ${this.#driver.clock} - ${DAY_MS}`, []);
  }

  /** `$.` stands for what is before the names of tables. */
  #query(sql: string, values: readonly SqlValue[]): Promise<readonly SqlRow[]> {
    const text = sql.replaceAll('$.', this.#driver.prefix);
    return orStoreError('The database of approvals refused', () => this.#driver.query(text, values));
  }
}

import { ChangeListeners } from './change-listeners.js';
import type { PgClient, PgPool } from './postgres-driver.js';

const LEAST_WAIT_MS = 100;
const MOST_WAIT_MS = 5_000;
const CHECK_MS = 10_000;

/**
 * Hears of changes by `LISTEN`, on a connection of its own that is made again when it is lost. What may have been missed
 * meanwhile is told as ''. It keeps no process alive.
 */
export class PostgresListener {
  readonly #pool: PgPool;
  readonly #channel: string;
  readonly #listeners = new ChangeListeners();
  #client: PgClient | undefined;
  #isConnecting = false;
  #isClosed = false;
  #wait = LEAST_WAIT_MS;
  #again: NodeJS.Timeout | undefined;

  constructor(pool: PgPool, channel: string) {
    this.#pool = pool;
    this.#channel = channel;
  }

  add(listener: (id: string) => void): () => void {
    const remove = this.#listeners.add(listener);
    void this.#connect();
    return remove;
  }

  /** A connection can be dead without a word: then it is made again. */
  check(): void {
    const client = this.#client;
    if (client === undefined) return;
    const late = setTimeout(() => this.#lost(client), CHECK_MS).unref();
    client
      .query('SELECT 1')
      .catch(() => this.#lost(client))
      .finally(() => clearTimeout(late));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
    const client = this.#client;
    if (client !== undefined) this.#lost(client);
  }

  async #connect(): Promise<void> {
    if (this.#isClosed || this.#isConnecting || this.#client !== undefined) return;
    this.#isConnecting = true;
    try {
      const client = await this.#pool.connect();
      this.#client = client;
      client.on('error', () => this.#lost(client));
      client.on('end', () => this.#lost(client));
      client.on('notification', ({ payload }) => this.#listeners.tell(payload ?? ''));
      if (this.#isClosed) return this.#lost(client);
      await client.query(`LISTEN ${this.#channel}`);
      (client as { unref?(): void }).unref?.();
      this.#wait = LEAST_WAIT_MS;
      this.#listeners.tell('');
    } catch {
      if (this.#client !== undefined) this.#lost(this.#client);
      else this.#later();
    } finally {
      this.#isConnecting = false;
    }
  }

  #lost(client: PgClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.removeAllListeners('notification');
    // Never back into the pool: it still listens.
    client.release(true);
    this.#later();
  }

  #later(): void {
    if (this.#isClosed) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => void this.#connect(), this.#wait).unref();
    this.#wait = Math.min(MOST_WAIT_MS, this.#wait * 2);
  }
}

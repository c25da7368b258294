import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWhere } from '../stores/describe-where.test-support.js';
import { type PostgresServer, startPostgres } from '../stores/postgres-server.test-support.js';
import { openPostgresStore } from '../stores/postgres-store.js';
import { Approvals } from './approvals.js';
import { RecordingChannel, requestOf } from './recording-channel.test-support.js';

const started = await startPostgres();
const why = typeof started === 'string' ? started : undefined;
const server = started as PostgresServer;
if (why !== undefined) process.stdout.write(`skipped: replies of PostgreSQL that are lost: ${why}\n`);

/** Stands between the store and the server. */
class CuttingProxy {
  /** Connections that carry a statement with this in it are cut once the server has replied: it was done. */
  cutReplyTo: string | undefined;
  /** Nothing comes through any more. */
  isDown = false;
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(target: URL) {
    this.#server = createServer((client) => {
      if (this.isDown) return client.destroy();
      const upstream = connect(Number(target.port || 5432), target.hostname);
      let isDoomed = false;
      client.on('data', (data) => {
        if (this.cutReplyTo !== undefined && data.includes(this.cutReplyTo)) isDoomed = true;
        upstream.write(data);
      });
      upstream.on('data', (data) => {
        if (!isDoomed) return client.write(data);
        this.cuts++;
        return client.destroy();
      });
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          client.destroy();
          upstream.destroy();
        });
      }
      return undefined;
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as { port: number }).port;
  }

  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cutAll();
    this.#server.close();
  }
}

describeWhere(why, 'a claim whose reply is lost', () => {
  let proxy: CuttingProxy;
  let url: URL;
  let schemas = 0;
  beforeAll(async () => {
    url = new URL(server.url);
    proxy = new CuttingProxy(new URL(server.url));
    const port = await proxy.listen();
    url.hostname = '127.0.0.1';
    url.port = String(port);
  });
  afterAll(async () => {
    proxy.close();
    await server.stop();
  });

  async function approved() {
    const schema = `lost${++schemas}`;
    const store = await openPostgresStore({ connectionString: url.href, schema, leaseMs: 60_000 });
    const channel = new RecordingChannel('slack');
    const approvals = await Approvals.open({ store, channels: [channel], pollMs: 50 });
    const request = requestOf();
    const { id } = await approvals.request(request);
    expect(await approvals.decide('slack', channel.answer('approve'), Date.now())).toMatchObject({ ok: true });
    return { approvals, store, request, id };
  }

  it('is ours when the store says so, once', async () => {
    const { approvals, id } = await approved();
    proxy.cutReplyTo = "SET state = 'executing'";
    const first = approvals.claim(id);
    const others = [approvals.claim(id), approvals.claim(id)];
    await new Promise((resolve) => setTimeout(resolve, 50));
    proxy.cutReplyTo = undefined;
    expect(await first).toMatchObject({ id, state: 'executing' });
    expect(proxy.cuts).toBeGreaterThan(0);
    expect(await Promise.all(others)).toEqual([undefined, undefined]);
    expect(await approvals.claim(id)).toBeUndefined();
    await approvals.settle(id);
    expect(await approvals.get(id)).toMatchObject({ state: 'executed' });
    await approvals.close();
  });

  it('is there for the same call, asked again, when the database was away for long', async () => {
    const { approvals, request, id } = await approved();
    proxy.cutReplyTo = "SET state = 'executing'";
    const claim = approvals.claim(id);
    claim.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    proxy.isDown = true;
    proxy.cutAll();
    await expect(claim).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    proxy.isDown = false;
    proxy.cutReplyTo = undefined;
    expect(await approvals.get(id)).toMatchObject({ state: 'executing' });
    expect(await approvals.request(request)).toMatchObject({ id, state: 'approved' });
    expect(await approvals.claim(id)).toMatchObject({ id, state: 'executing' });
    expect(await approvals.request(request)).toMatchObject({ id, state: 'executing' });
    expect(await approvals.claim(id)).toBeUndefined();
    await approvals.close();
  }, 20_000);

  it('is not ours when another process has it', async () => {
    const { approvals, id, store } = await approved();
    const other = await openPostgresStore({ connectionString: server.url, schema: `lost${schemas}`, leaseMs: 60_000 });
    await other.move(id, ['approved'], 'executing', { at: Date.now(), owner: other.owner });
    proxy.cutReplyTo = "SET state = 'executing'";
    const claim = approvals.claim(id);
    await new Promise((resolve) => setTimeout(resolve, 50));
    proxy.cutReplyTo = undefined;
    expect(await claim).toBeUndefined();
    expect(await store.get(id)).toMatchObject({ owner: other.owner });
    await approvals.close();
    await other.close();
  });
});

import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TerminalChannel } from '../channels/terminal/terminal-channel.js';
import { describeWhere } from '../stores/describe-where.test-support.js';
import { type PostgresServer, startPostgres } from '../stores/postgres-server.test-support.js';
import { openPostgresStore } from '../stores/postgres-store.js';
import { Approvals } from './approvals.js';
import { RecordingChannel, requestOf } from './recording-channel.test-support.js';

const started = await startPostgres();
const why = typeof started === 'string' ? started : undefined;
const server = started as PostgresServer;
if (why !== undefined) process.stdout.write(`skipped: approvals of several processes: ${why}\n`);
afterAll(() => (why === undefined ? server.stop() : undefined));

let schemas = 0;
let all: { readonly approvals: Approvals }[];

/** As two processes have it: stores, connections and channels of their own. */
async function join(schema: string, sendMs = 400) {
  const store = await openPostgresStore({ connectionString: server.url, schema, leaseMs: 900 });
  const channel = new RecordingChannel('slack');
  const approvals = await Approvals.open({ store, channels: [channel], sendMs });
  all.push({ approvals });
  return { store, channel, approvals };
}

describeWhere(why, 'approvals of several processes', () => {
  let schema: string;
  beforeEach(() => {
    schema = `a${++schemas}`;
    all = [];
  });
  afterEach(async () => {
    for (const { approvals } of all) await approvals.close();
  });

  it('are shown once, answered in any of them, and wake all who wait', async () => {
    const [one, two] = [await join(schema), await join(schema)];
    one.channel.sendDelayMs = 100;
    const request = requestOf();
    const asked = await Promise.all([one.approvals.request(request), two.approvals.request(request)]);
    expect(asked[0].id).toBe(asked[1].id);
    expect(one.channel.cards.length + two.channel.cards.length).toBe(1);
    const { id } = asked[0];
    const answers = [one, two].map(({ approvals }) => approvals.answered(id, undefined));
    const shown = one.channel.cards.length === 1 ? one : two;
    const other = shown === one ? two : one;
    const outcome = await other.approvals.decide('slack', shown.channel.answer('approve'), Date.now());
    expect(outcome).toMatchObject({ ok: true });
    expect((await Promise.all(answers)).map(({ state }) => state)).toEqual(['approved', 'approved']);
    const claims = await Promise.all([one, two].map(({ approvals }) => approvals.claim(id)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    await vi.waitFor(() => expect(one.channel.updates.length + two.channel.updates.length).toBe(1));
  });

  it('are shown by another one when the first died before it did', async () => {
    const [one, two] = [await join(schema, 60_000), await join(schema)];
    one.channel.sendDelayMs = 1_500;
    const request = requestOf();
    const began = Date.now();
    const first = one.approvals.request(request);
    await vi.waitFor(() => expect(one.channel.cards).toHaveLength(1));
    expect(await two.approvals.request(request)).toMatchObject({ state: 'pending', messages: [{ message: 'm1' }] });
    expect(Date.now() - began).toBeGreaterThanOrEqual(400);
    expect(await two.approvals.decide('slack', two.channel.answer('approve'), Date.now())).toMatchObject({ ok: true });
    expect(await first).toMatchObject({ state: 'approved' });
  });

  it.each([0, 1])('are answered at either of two terminals that ask about the very same call (%i)', async (which) => {
    const terminals = [0, 1].map(() => ({ input: new PassThrough(), output: new PassThrough() }));
    const both = [];
    for (const streams of terminals) {
      const store = await openPostgresStore({ connectionString: server.url, schema, leaseMs: 900 });
      const terminal = new TerminalChannel({ streams, settleMs: 0 });
      const approvals = await Approvals.open({ store, channels: [terminal], sendMs: 200 });
      all.push({ approvals });
      both.push(approvals);
    }
    const request = requestOf();
    const asked = await Promise.all(both.map((approvals) => approvals.request(request)));
    const answers = both.map((approvals) => approvals.answered(asked[0]?.id ?? '', undefined));
    const said = terminals.map(
      ({ output }) =>
        () =>
          String(output.read() ?? ''),
    );
    await vi.waitFor(() =>
      expect(said.map((read) => read())).toEqual(Array(2).fill(expect.stringMatching(/yes|Type/))),
    );
    terminals[which]?.input.write('y\n');
    expect((await Promise.all(answers)).map(({ state }) => state)).toEqual(['approved', 'approved']);
    await vi.waitFor(() => expect(said[which]?.()).toContain('Approved.'));
    await vi.waitFor(() => expect(said[1 - which]?.()).toContain('Nothing to type any more'));
  });

  it('are taken off a terminal when another process decides', async () => {
    const [one, two] = [await join(schema), await join(schema)];
    one.channel.forgets = true;
    const { id } = await one.approvals.request(requestOf());
    const answer = { choice: 'reject' as const, decider: { channel: 'cli', id: 'root' } };
    expect(await two.approvals.decideHere(id, answer)).toMatchObject({ ok: true });
    await vi.waitFor(() => expect(one.channel.updates).toMatchObject([{ approval: { id, state: 'rejected' } }]), 5_000);
  });

  it('are taken off a terminal also where changes are polled for', async () => {
    const store = await openPostgresStore({ connectionString: server.url, schema, listen: false });
    const channel = new RecordingChannel('slack');
    channel.forgets = true;
    const approvals = await Approvals.open({ store, channels: [channel], pollMs: 50 });
    all.push({ approvals });
    const two = await join(schema);
    const { id } = await approvals.request(requestOf());
    const answer = approvals.answered(id, undefined);
    await two.approvals.decideHere(id, { choice: 'reject', decider: { channel: 'cli', id: 'root' } });
    expect(await answer).toMatchObject({ state: 'rejected' });
    await vi.waitFor(() => expect(channel.updates).toMatchObject([{ approval: { id, state: 'rejected' } }]), 5_000);
  });

  it('hear of an answer that was given while the database was away from them', async () => {
    const [one, two] = [await join(schema), await join(schema)];
    const { id } = await one.approvals.request(requestOf());
    const answer = one.approvals.answered(id, undefined);
    await server.restart();
    await vi.waitFor(async () => {
      const outcome = await two.approvals.decide('slack', one.channel.answer('approve'), Date.now());
      expect(outcome.ok || /already/.test(outcome.text)).toBe(true);
    }, 10_000);
    expect(await answer).toMatchObject({ state: 'approved' });
  }, 30_000);

  it('expire once for all: one process says so on the card', async () => {
    const [one, two] = [await join(schema), await join(schema)];
    const request = requestOf({ expiresMs: 900 });
    const { id } = await one.approvals.request(request);
    const answers = [one, two].map(({ approvals }) => approvals.answered(id, undefined));
    expect((await Promise.all(answers)).map(({ state }) => state)).toEqual(['expired', 'expired']);
    await vi.waitFor(() => expect(one.channel.updates.length + two.channel.updates.length).toBe(1));
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256 } from '../call/sha256.js';
import type { ApprovalStore } from '../stores/approval-store.js';
import { FileStore } from '../stores/file-store.js';
import { Approvals, type ApprovalsOptions } from './approvals.js';
import { RecordingChannel, requestOf } from './recording-channel.test-support.js';

let folder: string;
let slack: RecordingChannel;
let terminal: RecordingChannel;
let store: ApprovalStore;
let approvals: Approvals;

async function open(options: Partial<ApprovalsOptions> = {}) {
  store = await FileStore.open(folder);
  approvals = await Approvals.open({ store, channels: [slack, terminal], sendMs: 300, ...options });
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'request-'));
  slack = new RecordingChannel('slack');
  terminal = new RecordingChannel('terminal');
  terminal.forgets = true;
  await open();
});
afterEach(async () => {
  await approvals.close();
  rmSync(folder, { recursive: true });
});

describe('a request', () => {
  it('is one, shown once, however often the very same call asks', async () => {
    const request = requestOf();
    const all = await Promise.all(Array.from({ length: 10 }, () => approvals.request(request)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    expect([slack.cards.length, terminal.cards.length]).toEqual([1, 1]);
    expect(all[0]?.idempotencyKey).toMatch(/^[0-9a-f]{64}$/);
    const other = await approvals.request({ ...request, digest: 'of other arguments' });
    expect(other.id).not.toBe(all[0]?.id);
    const nameless = await Promise.all([1, 2].map(() => approvals.request({ ...request, callId: '' })));
    expect(nameless[0]?.id).not.toBe(nameless[1]?.id);
  });

  it('is found again after a restart, with its answer; and shown again where nobody sees it any more', async () => {
    const [waiting, answered] = [requestOf(), requestOf()];
    const first = await approvals.request(waiting);
    await approvals.request(answered);
    await approvals.decide('slack', slack.answer('approve'), Date.now());
    await approvals.close();
    await open();
    const again = await approvals.request(waiting);
    expect(again).toMatchObject({ id: first.id, state: 'pending' });
    expect(await approvals.request(answered)).toMatchObject({ state: 'approved' });
    // Slack still has its card; the terminal's is gone with its process, and so is the token that was on it.
    expect([slack.cards.length, terminal.cards.length]).toEqual([2, 3]);
    const old = { ...terminal.answer('approve', {}, 1), source: { tenant: 'T1', chat: 'C1', message: 'm3' } };
    expect(await approvals.decide('terminal', old, Date.now())).toMatchObject({ ok: false });
    const answer = approvals.answered(first.id, undefined);
    expect(await approvals.decide('slack', slack.answer('reject', {}, 1), Date.now())).toMatchObject({ ok: true });
    expect(await answer).toMatchObject({ state: 'rejected' });
    await vi.waitFor(() => expect(terminal.updates.filter(({ approval }) => approval.id === first.id)).toHaveLength(2));
  });

  it('reaches who can be reached: a channel that is down is counted, and tried again with the next', async () => {
    slack.isDown = true;
    const request = requestOf();
    const { id, state } = await approvals.request(request);
    expect(state).toBe('pending');
    expect(approvals.counts.sendFailures).toBe(1);
    slack.isDown = false;
    await approvals.request(request);
    expect([slack.cards.length, terminal.cards.length]).toEqual([1, 1]);
    slack.isDown = true;
    expect(await approvals.decide('terminal', terminal.answer('approve'), Date.now())).toMatchObject({ ok: true });
    await vi.waitFor(() => expect(approvals.counts.updateFailures).toBe(1));
    expect(await approvals.claim(id)).toMatchObject({ state: 'executing' });
  });

  it('that reaches nobody is called off and rejects', async () => {
    slack.isDown = true;
    terminal.sendDelayMs = 2_000;
    const request = requestOf();
    const asked = approvals.request(request);
    await expect(asked).rejects.toMatchObject({ code: 'HO_POLICY_CHANNEL' });
    await expect(asked).rejects.toThrow(/slack: down; terminal: .*300 ms/);
    expect(await approvals.pending()).toEqual([]);
    expect(await approvals.request(request)).toMatchObject({ state: 'cancelled' });
    await expect(approvals.request(requestOf({ channels: ['email'] }))).rejects.toThrow(
      /email: there is no such channel/,
    );
  });

  it('is not answered on terms that were looser before', async () => {
    const request = requestOf({ approvers: ['slack:U1', 'slack:U2'] });
    const { id } = await approvals.request(request);
    await approvals.close();
    await open();
    expect(await approvals.request({ ...request, approvers: ['slack:U2'] })).toMatchObject({ id, state: 'cancelled' });
    expect(await approvals.decide('slack', slack.answer('approve'), Date.now())).toMatchObject({ ok: false });
  });

  it('that was approved on looser terms does not run', async () => {
    const request = requestOf();
    const { id } = await approvals.request(request);
    await approvals.decide('slack', slack.answer('approve'), Date.now());
    const now = { ...request, gates: [{ name: 'payments', version: '2' }] };
    expect(await approvals.request(now)).toMatchObject({ id, state: 'cancelled' });
    expect(await approvals.claim(id)).toBeUndefined();
  });

  it('of more than a person can be asked about is refused', async () => {
    const args = JSON.stringify({ text: 'x'.repeat(1024 * 1024) });
    await expect(approvals.request(requestOf({ args }))).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    expect(slack.cards).toHaveLength(0);
  });
});

describe('a card', () => {
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';

  it('shows all arguments with secrets masked, and its digest is of what it shows', async () => {
    const args = JSON.stringify({ api_key: 'hunter2hunter2', note: `use ${secret}`, text: 'x'.repeat(5_000) });
    const { previewDigest } = await approvals.request(requestOf({ args, title: `Call with ${secret}` }));
    const [card] = slack.cards;
    expect(card?.masked).toBeGreaterThanOrEqual(2);
    expect(card?.args).toContain('x'.repeat(5_000));
    expect(JSON.stringify(card)).not.toMatch(/hunter2|sk-ant-api03/);
    expect(previewDigest).toBe(sha256(JSON.stringify(['pay', card?.approval.title, card?.args])));
    expect(JSON.stringify(await approvals.pending())).not.toMatch(/hunter2|sk-ant-api03/);
    await approvals.decide('slack', slack.answer('reject', { comment: `not ${secret}` }), Date.now());
    await vi.waitFor(() => expect(slack.updates).toHaveLength(1));
    expect(JSON.stringify(slack.updates)).not.toMatch(/hunter2|sk-ant-api03/);
  });

  it('that would look otherwise than recorded is not shown again', async () => {
    slack.isDown = true;
    const request = requestOf({ args: '{"customer":"Ada"}' });
    const { id } = await approvals.request(request);
    slack.isDown = false;
    await approvals.close();
    await open({ redaction: { keys: ['customer'] } });
    await expect(approvals.request(request)).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    expect((await approvals.get(id))?.state).toBe('cancelled');
    expect(slack.cards).toHaveLength(0);
  });

  it('has hashes only with a salt', async () => {
    await approvals.close();
    await expect(open({ redaction: { mode: 'hash' } })).rejects.toMatchObject({ code: 'HO_OPTION' });
    await store.close();
    await open({ redaction: { mode: 'hash', salt: 'a salt of this test' } });
    await approvals.request(requestOf({ args: '{"password":"hunter2hunter2"}' }));
    expect(slack.cards[0]?.args).toMatch(/\[redacted:secret:[0-9a-f]+\]/);
  });

  it('has a token of 128 bits for each channel, which stands nowhere on the disk', async () => {
    await approvals.request(requestOf());
    const tokens = [slack, terminal].map(({ cards }) => cards[0]?.token ?? '');
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(16);
    expect(slack.cards[0]?.approval.tokenHashes).toEqual({});
    const bytes = readdirSync(folder)
      .map((name) => readFileSync(join(folder, name)))
      .join('');
    for (const token of tokens) expect(bytes).not.toContain(token);
    expect(bytes).toContain(sha256(tokens[0] ?? ''));
    if (process.platform !== 'win32') {
      for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
  });
});

describe('what is approved', () => {
  const approved = async () => {
    const request = requestOf();
    const { id } = await approvals.request(request);
    await approvals.decide('slack', slack.answer('approve'), Date.now());
    return { id, request };
  };

  it('is claimed once, settled by whoever claimed it, and found as executed', async () => {
    const { id, request } = await approved();
    const claims = await Promise.all(Array.from({ length: 20 }, () => approvals.claim(id)));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect(await approvals.request(request)).toMatchObject({ state: 'executing' });
    await approvals.settle(id);
    expect(await approvals.request(request)).toMatchObject({ state: 'executed' });
    expect(await approvals.claim(id)).toBeUndefined();
    await expect(approvals.settle(id)).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
  });

  it('has an unknown outcome when its process is gone, and never runs again', async () => {
    const { id, request } = await approved();
    await approvals.claim(id);
    await approvals.close();
    await open();
    expect(await approvals.request(request)).toMatchObject({ id, state: 'outcome_unknown' });
    expect(await approvals.claim(id)).toBeUndefined();
    await expect(approvals.settle(id)).rejects.toThrow(/does not run it/);
  });

  it('is known to have run, also if others had given it up meanwhile', async () => {
    const { id, request } = await approved();
    await approvals.claim(id);
    await store.move(id, ['executing'], 'outcome_unknown', { at: Date.now() });
    await approvals.settle(id);
    expect(await approvals.request(request)).toMatchObject({ state: 'executed' });
  });
});

it('a request that is called off wakes who waits, and says so everywhere', async () => {
  const { id } = await approvals.request(requestOf());
  const answer = approvals.answered(id, undefined);
  await approvals.cancel(id);
  expect(await answer).toMatchObject({ state: 'cancelled' });
  await vi.waitFor(() => expect(slack.updates[0]?.approval.state).toBe('cancelled'));
  await approvals.cancel(id);
  expect(await approvals.decide('slack', slack.answer('approve'), Date.now())).toMatchObject({
    ok: false,
    text: 'It was called off.',
  });
});

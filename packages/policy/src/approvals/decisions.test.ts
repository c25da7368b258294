import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChannelDecision } from '../channels/base-channel.js';
import { FileStore } from '../stores/file-store.js';
import { Approvals } from './approvals.js';
import { RecordingChannel, requestOf } from './recording-channel.test-support.js';

let folder: string;
let slack: RecordingChannel;
let web: RecordingChannel;
let approvals: Approvals;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'decisions-'));
  slack = new RecordingChannel('slack');
  web = new RecordingChannel('web');
  approvals = await Approvals.open({ store: await FileStore.open(folder), channels: [slack, web], sendMs: 500 });
});
afterEach(async () => {
  await approvals.close();
  rmSync(folder, { recursive: true });
});

const stateOf = async (id: string) => (await approvals.get(id))?.state;

describe('an answer', () => {
  it('decides, wakes who waits, and changes the messages of all channels', async () => {
    const { id } = await approvals.request(requestOf());
    const answer = approvals.answered(id, undefined);
    const outcome = await approvals.decide('slack', slack.answer('approve', { comment: 'fine' }), Date.now());
    expect(outcome).toMatchObject({ ok: true, text: 'Approved.' });
    expect(await answer).toMatchObject({
      id,
      state: 'approved',
      decider: { channel: 'slack', id: 'U1' },
      comment: 'fine',
    });
    await vi.waitFor(() => expect([slack.updates.length, web.updates.length]).toEqual([1, 1]));
    expect(web.updates[0]).toMatchObject({ ref: { channel: 'web', message: 'm1' }, approval: { state: 'approved' } });
  });

  it('that comes second is told who decided, and changes nothing: a token is good for one answer', async () => {
    const { id } = await approvals.request(requestOf());
    await approvals.decide('slack', slack.answer('reject', { decider: { channel: 'slack', id: 'U7' } }), Date.now());
    for (const [name, channel] of [
      ['web', web],
      ['slack', slack],
    ] as const) {
      const outcome = await approvals.decide(name, channel.answer('approve'), Date.now());
      expect(outcome).toMatchObject({ ok: false, text: 'It was rejected already by slack:U7.' });
    }
    expect(await stateOf(id)).toBe('rejected');
    expect(approvals.counts.refused).toEqual({ state: 2 });
  });

  it('one of 50 at once decides, on two channels', async () => {
    const { id } = await approvals.request(requestOf());
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const [name, channel] = i % 2 === 0 ? (['slack', slack] as const) : (['web', web] as const);
        const decider = { channel: name, id: `U${i}` };
        return approvals.decide(name, channel.answer(i % 3 === 0 ? 'reject' : 'approve', { decider }), Date.now());
      }),
    );
    const winners = outcomes.filter(({ ok }) => ok);
    expect(winners).toHaveLength(1);
    const { decider, state } = winners[0]?.approval ?? {};
    expect((await approvals.get(id))?.decider).toEqual(decider);
    const told = `It was ${state} already by ${decider?.channel}:${decider?.id}.`;
    expect(new Set(outcomes.filter(({ ok }) => !ok).map(({ text }) => text))).toEqual(new Set([told]));
  });

  it('may come before the store knows where the card is', async () => {
    const early: Promise<unknown>[] = [];
    slack.sendDelayMs = 200;
    slack.onCard = () => early.push(approvals.decide('slack', slack.answer('approve'), Date.now()));
    const { id } = await approvals.request(requestOf());
    expect(await early[0]).toMatchObject({ ok: true });
    expect(await stateOf(id)).toBe('approved');
  });

  const source = { tenant: 'T1', chat: 'C1', message: 'm1' };
  const tamperings: [string, Partial<ChannelDecision>, string][] = [
    ['another token', { token: 'A'.repeat(22) }, 'token'],
    ['no token', { token: undefined as never }, 'token'],
    ['the empty token', { token: '' }, 'token'],
    ['a token that is no text', { token: { length: 22 } as never }, 'token'],
    ['the hash in place of the token', { token: 'HASH' }, 'token'],
    ['another workspace', { source: { ...source, tenant: 'T2' } }, 'source'],
    ['no workspace', { source: { ...source, tenant: undefined as never } }, 'source'],
    ['another chat', { source: { ...source, chat: 'C2' } }, 'source'],
    ['another message', { source: { ...source, message: 'm2' } }, 'source'],
    ['parts of the source that run into each other', { source: { tenant: 'T1C1', chat: '', message: 'm1' } }, 'source'],
    ['a person of another channel', { decider: { channel: 'web', id: 'U1' } }, 'source'],
    ['nobody', { decider: { channel: 'slack', id: '' } }, 'person'],
    ['a choice that is none', { choice: 'yes' as never }, 'shape'],
    ['an id that is none', { approvalId: '__proto__' }, 'unknown'],
  ];
  it.each(tamperings)('with %s is refused, and the right one still decides', async (_, fields, kind) => {
    const { id } = await approvals.request(requestOf());
    const store = await approvals.get(id);
    const bad = slack.answer('approve', fields);
    const outcome = await approvals.decide('slack', bad, Date.now());
    expect(outcome.ok).toBe(false);
    expect(approvals.counts.refused).toEqual({ [kind]: 1 });
    // Whoever does not belong to the request learns nothing of it.
    if (kind === 'token' || kind === 'source') expect(outcome.approval).toBeUndefined();
    expect(await approvals.get(id)).toEqual(store);
    expect(await approvals.decide('slack', slack.answer('approve'), Date.now())).toMatchObject({ ok: true });
  });

  it('with the token of another request, or of another channel, is refused', async () => {
    const first = await approvals.request(requestOf());
    const second = await approvals.request(requestOf());
    const [one, two] = [slack.answer('approve', {}, 1), slack.answer('approve', {}, 2)];
    for (const bad of [
      { ...one, token: two.token },
      { ...one, approvalId: second.id },
      { ...one, token: web.answer('approve', {}, 1).token },
    ]) {
      expect(await approvals.decide('slack', bad, Date.now())).toMatchObject({ ok: false });
    }
    // A good answer of one channel that is brought in by another one.
    expect(await approvals.decide('web', one, Date.now())).toMatchObject({ ok: false });
    expect([await stateOf(first.id), await stateOf(second.id)]).toEqual(['pending', 'pending']);
  });
});

describe('who may decide', () => {
  it('is in the list by channel and immutable id, for a rejection too', async () => {
    const { id } = await approvals.request(requestOf({ approvers: ['slack:U2', 'web:bob'] }));
    const by = (channel: string, of: string) => ({ decider: { channel, id: of } });
    for (const person of ['U1', 'u2', 'U2 ', 'bob', 'slack:U2']) {
      const outcome = await approvals.decide('slack', slack.answer('approve', by('slack', person)), Date.now());
      expect(outcome).toMatchObject({ ok: false, text: 'You may not decide this.' });
    }
    expect(await approvals.decide('web', web.answer('reject', by('web', 'U2')), Date.now())).toMatchObject({
      ok: false,
    });
    expect(await stateOf(id)).toBe('pending');
    expect(await approvals.decide('web', web.answer('approve', by('web', 'bob')), Date.now())).toMatchObject({
      ok: true,
    });
  });

  it('is not whoever asked, where that is said; rejecting is theirs all the same', async () => {
    for (const user of ['U1', 'u1', 'slack:U1', ' Slack:u1']) {
      const { id } = await approvals.request(requestOf({ user, requesterMayApprove: false }));
      const outcome = await approvals.decide('slack', slack.answer('approve'), Date.now());
      expect(outcome).toMatchObject({ ok: false, text: 'Whoever asked for it may not approve it.' });
      expect(await stateOf(id)).toBe('pending');
    }
    expect(await approvals.decide('slack', slack.answer('reject'), Date.now())).toMatchObject({ ok: true });
    const nobody = approvals.request(requestOf({ user: '', requesterMayApprove: false }));
    await expect(nobody).rejects.toMatchObject({ code: 'HO_POLICY_CONFIG' });
  });

  it('here, has access to the store: the list holds, a token is not needed', async () => {
    const { id } = await approvals.request(requestOf({ approvers: ['cli:root'] }));
    const answer = (of: string) => ({ choice: 'approve' as const, decider: { channel: 'cli', id: of } });
    expect(await approvals.decideHere(id, answer('guest'))).toMatchObject({ ok: false });
    expect(await approvals.decideHere(id, answer('root'))).toMatchObject({ ok: true });
    expect(await approvals.decideHere('none', answer('root'))).toMatchObject({ ok: false });
  });
});

describe('silence', () => {
  it('is no consent: an answer at or behind the expiry decides nothing', async () => {
    const { id, expiresAt } = await approvals.request(requestOf({ expiresMs: 80 }));
    const answer = approvals.answered(id, undefined);
    // A clock that says it is not too late does not help once it is said that it is.
    const outcome = await approvals.decide('slack', slack.answer('approve'), expiresAt ?? 0);
    expect(outcome).toMatchObject({ ok: false, text: 'Its time is over: it counts as not approved.' });
    expect(await answer).toMatchObject({ state: 'expired', decider: null });
    const late = await approvals.decide('slack', slack.answer('approve'), 0);
    expect(late).toMatchObject({ ok: false, text: 'Its time is over: it counts as not approved.' });
    expect(await approvals.claim(id)).toBeUndefined();
    await vi.waitFor(() => expect(web.updates.map(({ approval }) => approval.state)).toEqual(['expired']));
  });
});

describe('a store that fails', () => {
  it('decides nothing, and says so', async () => {
    const { id } = await approvals.request(requestOf());
    rmSync(folder, { recursive: true });
    const outcome = await approvals.decide('slack', slack.answer('approve'), Date.now());
    expect(outcome).toMatchObject({ ok: false });
    expect(outcome.text).toMatch(/nothing was decided/);
    expect(await stateOf(id)).toBe('pending');
    await expect(approvals.request(requestOf())).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    await expect(approvals.close()).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
    folder = mkdtempSync(join(tmpdir(), 'decisions-'));
    approvals = await Approvals.open({ store: await FileStore.open(folder), channels: [] });
  });
});

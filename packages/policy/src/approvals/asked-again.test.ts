import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FileStore } from '../stores/file-store.js';
import { Approvals } from './approvals.js';
import { RecordingChannel, requestOf } from './recording-channel.test-support.js';

let folder: string;
let slack: RecordingChannel;
let approvals: Approvals;

async function open() {
  approvals = await Approvals.open({ store: await FileStore.open(folder), channels: [slack], sendMs: 300 });
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'again-'));
  slack = new RecordingChannel('slack');
  await open();
});
afterEach(async () => {
  vi.useRealTimers();
  await approvals.close();
  rmSync(folder, { recursive: true });
});

const first = requestOf({ sessionId: 's', callId: 'one', turnId: 't1' });
const again = { ...first, callId: 'two', turnId: 't2', digest: 'of the second call' };
const approve = () => approvals.decide('slack', slack.answer('approve'), Date.now());

/** The first call waits, and stops waiting. */
async function givenUp(): Promise<string> {
  const { id } = await approvals.request(first);
  const signal = AbortSignal.timeout(5);
  await expect(approvals.answered(id, signal)).rejects.toBeDefined();
  return id;
}

describe('the same action, asked again by another call', () => {
  it('gets the answer to the first, which stopped waiting: shown once, and run once', async () => {
    const id = await givenUp();
    expect(await approvals.request(again)).toMatchObject({ id, state: 'pending' });
    expect(slack.cards).toHaveLength(1);
    const answer = approvals.answered(id, undefined);
    expect(await approve()).toMatchObject({ ok: true });
    expect(await answer).toMatchObject({ state: 'approved' });
    expect(await approvals.claim(id)).toMatchObject({ state: 'executing' });
    expect((await approvals.request({ ...again, callId: 'three', digest: 'of the third' })).id).not.toBe(id);
  });

  it('gets it also when it came between, and after a restart', async () => {
    const id = await givenUp();
    expect(await approve()).toMatchObject({ ok: true });
    await approvals.close();
    await open();
    expect(await approvals.request(again)).toMatchObject({ id, state: 'approved' });
  });

  it.each([
    ['while the first waits', {}, false],
    ['with other arguments', { args: '{"amount":6}' }, true],
    ['in another session', { sessionId: 'other' }, true],
    ['by another agent', { agent: 'child' }, true],
    ['for another user', { user: 'somebody' }, true],
    ['under a newer rule', { gates: [{ name: 'gate', version: '2' }] }, true],
    ['for a shorter time', { expiresMs: 1_000 }, true],
    ['with fewer who may approve', { approvers: ['slack:U1'] }, true],
  ])('is a request of its own %s', async (_, change, hasGivenUp) => {
    const id = hasGivenUp ? await givenUp() : (await approvals.request(first)).id;
    const other = await approvals.request({ ...again, ...change });
    expect(other.id).not.toBe(id);
    expect(slack.cards).toHaveLength(2);
  });

  it('is not gotten from a channel that is not to be asked now', async () => {
    await givenUp();
    await approve();
    const elsewhere = { ...again, channels: ['other'] };
    await expect(approvals.request(elsewhere)).rejects.toMatchObject({ code: 'HO_POLICY_CHANNEL' });
  });

  it('is gotten by one of two calls that ask at once', async () => {
    const id = await givenUp();
    const third = { ...again, callId: 'three', digest: 'of the third' };
    const [two, three] = await Promise.all([approvals.request(again), approvals.request(third)]);
    expect([two.id, three.id].filter((one) => one === id)).toHaveLength(1);
    expect(slack.cards).toHaveLength(2);
  });

  it('two calls at once are two requests', async () => {
    const [one, two] = await Promise.all([approvals.request(first), approvals.request(again)]);
    expect(one.id).not.toBe(two.id);
  });

  it('a call of the same name in another turn is another call', async () => {
    const one = await approvals.request(first);
    await approve();
    await approvals.claim(one.id);
    expect(await approvals.request({ ...first, turnId: 't2' })).toMatchObject({ state: 'pending' });
  });
});

it('a yes holds for as long as the question would have stood', async () => {
  const request = { ...first, expiresMs: 60_000 };
  const { id } = await approvals.request(request);
  await approve();
  await approvals.close();
  await open();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 59_000 });
  expect(await approvals.request(request)).toMatchObject({ id, state: 'approved' });
  vi.setSystemTime(Date.now() + 2_000);
  expect(await approvals.request({ ...again, expiresMs: 60_000 })).not.toMatchObject({ id });
  expect(await approvals.request(request)).toMatchObject({ id, state: 'expired' });
  expect(await approvals.claim(id)).toBeUndefined();
});

it('what was claimed and then not run is called off, and keeps who had approved it', async () => {
  const { id } = await approvals.request(first);
  await approve();
  await approvals.claim(id);
  await approvals.cancel(id);
  expect(await approvals.get(id)).toMatchObject({ state: 'cancelled', decider: { channel: 'slack', id: 'U1' } });
  expect(await approvals.claim(id)).toBeUndefined();
  await expect(approvals.settle(id)).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ApprovalStore } from '../stores/approval-store.js';
import { FileStore } from '../stores/file-store.js';
import { Approvals } from './approvals.js';
import { RecordingChannel, requestOf } from './recording-channel.test-support.js';

let folder: string;
let store: ApprovalStore;
let channel: RecordingChannel;
let approvals: Approvals;

/** @param overrides what the store does otherwise, as one of the user's own may. */
async function open(
  overrides: (kept: FileStore) => { [K in keyof ApprovalStore]?: ApprovalStore[K] | undefined } = () => ({}),
) {
  const kept = await FileStore.open(folder);
  const other = overrides(kept);
  store = new Proxy(kept, {
    get(target, name) {
      const value = name in other ? other[name as keyof ApprovalStore] : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  channel = new RecordingChannel('one');
  approvals = await Approvals.open({ store, channels: [channel], pollMs: 50 });
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waiting-'));
});
afterEach(async () => {
  await approvals.close();
  rmSync(folder, { recursive: true });
});

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

it('1,000 who wait have one timer together, and each is woken by its own answer', async () => {
  await open();
  const requests = await Promise.all(Array.from({ length: 1_000 }, () => approvals.request(requestOf())));
  const before = timers();
  const answers = requests.map(({ id }) => approvals.answered(id, undefined));
  expect(approvals.counts.waiting).toBe(1_000);
  expect(timers() - before).toBeLessThanOrEqual(1);
  await Promise.all(
    requests.map(({ id }, i) => store.move(id, ['pending'], i % 2 ? 'approved' : 'rejected', { at: 1 })),
  );
  const states = (await Promise.all(answers)).map(({ state }) => state);
  expect(states).toEqual(requests.map((_, i) => (i % 2 ? 'approved' : 'rejected')));
  expect(approvals.counts.waiting).toBe(0);
});

it('each expires at its own time, the shortest first, whenever it was asked', async () => {
  await open();
  const ends: number[] = [];
  const asked = [300, 100, Number.POSITIVE_INFINITY, 200].map(async (expiresMs, i) => {
    const { id } = await approvals.request(requestOf({ expiresMs }));
    const abort = new AbortController();
    if (expiresMs === Number.POSITIVE_INFINITY) setTimeout(() => abort.abort(new Error('enough')), 500);
    const { state } = await approvals.answered(id, abort.signal);
    expect(state).toBe('expired');
    ends.push(i);
  });
  const results = await Promise.allSettled(asked);
  expect(ends).toEqual([1, 3, 0]);
  expect(results[2]).toMatchObject({ status: 'rejected', reason: new Error('enough') });
  expect((await approvals.pending()).map(({ state }) => state)).toEqual(['pending']);
});

it('a signal ends the waiting of one, and the request stays', async () => {
  await open();
  const { id } = await approvals.request(requestOf());
  const abort = new AbortController();
  const [one, two] = [approvals.answered(id, abort.signal), approvals.answered(id, undefined)];
  abort.abort(new Error('gone'));
  await expect(one).rejects.toThrow('gone');
  await expect(approvals.answered(id, abort.signal)).rejects.toThrow('gone');
  await approvals.decide('one', channel.answer('approve'), Date.now());
  expect(await two).toMatchObject({ state: 'approved' });
  expect(await approvals.answered(id, undefined)).toMatchObject({ state: 'approved' });
  await expect(approvals.answered('none', undefined)).rejects.toMatchObject({ code: 'HO_POLICY_STORE' });
});

it('a store that tells of nothing is polled for all at once', async () => {
  await open(() => ({ onChange: undefined }));
  const requests = await Promise.all(Array.from({ length: 20 }, () => approvals.request(requestOf())));
  const answers = requests.map(({ id }) => approvals.answered(id, undefined));
  // By another process, so to speak: nothing here hears of it.
  for (const { id } of requests) await store.move(id, ['pending'], 'approved', { at: 1 });
  expect(await Promise.all(answers)).toHaveLength(20);
});

it('a store that was away for a moment leaves nobody waiting', async () => {
  let isAway = false;
  const refuse = vi.fn(() => Promise.reject(new Error('away')));
  await open((kept) => ({ get: (id) => (isAway ? refuse() : kept.get(id)) }));
  const { id } = await approvals.request(requestOf());
  const answer = approvals.answered(id, undefined);
  isAway = true;
  await store.move(id, ['pending'], 'approved', { at: 1 });
  await vi.waitFor(() => expect(refuse.mock.calls.length).toBeGreaterThanOrEqual(2), 5_000);
  isAway = false;
  expect(await answer).toMatchObject({ state: 'approved' });
});

it('who waits is told when it is closed', async () => {
  await open();
  const { id } = await approvals.request(requestOf());
  const answer = approvals.answered(id, undefined);
  await Promise.all([expect(answer).rejects.toMatchObject({ code: 'HO_POLICY_STORE' }), approvals.close()]);
  await open();
  expect(await vi.waitFor(() => approvals.pending())).toMatchObject([{ id, state: 'pending' }]);
});

it('waiting keeps the process alive, and a request that nobody waits for does not', async () => {
  await open();
  const run = (waits: boolean) => {
    const script = `
      import { Approvals, FileStore } from '@hermes-observer/policy';
      const channel = { name: 'one', send: async () => ({ tenant: '', chat: '', message: '1' }), update: async () => {} };
      const approvals = await Approvals.open({ store: await FileStore.open(${JSON.stringify(join(folder, 'own'))}), channels: [channel] });
      const { id } = await approvals.request(${JSON.stringify(requestOf({ expiresMs: 400 }))});
      if (${waits}) approvals.answered(id).then(({ state }) => console.log(state));
    `;
    const cwd = new URL('../../../..', import.meta.url);
    return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd,
      encoding: 'utf8',
      timeout: 20_000,
    });
  };
  expect(run(true)).toMatchObject({ stdout: 'expired\n', status: 0 });
  const began = performance.now();
  expect(run(false)).toMatchObject({ stdout: '', status: 0 });
  expect(performance.now() - began).toBeLessThan(15_000);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { argsDigest } from '../call/digest.js';
import type { RememberWish } from '../channels/base-channel.js';
import { FileStore } from '../stores/file-store.js';
import { Approvals } from './approvals.js';
import type { ApprovalRequest } from './approvals-port.js';
import { RecordingChannel, requestOf } from './recording-channel.test-support.js';

let folder: string;
let slack: RecordingChannel;
let approvals: Approvals;
const open = async () => {
  approvals = await Approvals.open({ store: await FileStore.open(folder), channels: [slack] });
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'remembering-'));
  slack = new RecordingChannel('slack');
  await open();
});
afterEach(async () => {
  await approvals.close();
  rmSync(folder, { recursive: true });
});

const ALL = { scopes: ['session', 'arguments', 'pattern'] as const, maxMs: 10_000 };
const asking = (fields: Partial<ApprovalRequest> = {}) => {
  const request = requestOf({ remember: ALL, ...fields });
  return { ...request, argsDigest: argsDigest(request.tool, request.args) };
};
async function approve(request: ApprovalRequest, remember: RememberWish) {
  await approvals.request(request);
  return approvals.decide('slack', slack.answer('approve', { remember }), Date.now());
}
const isCovered = async (request: ApprovalRequest) => (await approvals.covering(request)) !== undefined;

it('an answer for a session covers its tool there, and nothing else', async () => {
  expect(await approve(asking(), { scope: 'session', ms: 5_000 })).toMatchObject({ ok: true });
  expect(await isCovered(asking({ args: '{"amount":1}' }))).toBe(true);
  const others: Partial<ApprovalRequest>[] = [
    { sessionId: 'another' },
    { sessionId: '' },
    { tool: 'refund' },
    { agent: 'another' },
    { user: 'bob' },
    { gates: [{ name: 'payments', version: '2' }] },
    { gates: [{ name: 'payments' }] },
    { gates: [{ name: 'payments', version: '1' }, { name: 'weekend' }] },
    { remember: null },
    { remember: { scopes: ['arguments'], maxMs: 10_000 } },
    { remember: { scopes: ['session'], maxMs: 0 } },
    { approvers: ['slack:U2'] },
    { requesterMayApprove: false, user: 'U1' },
  ];
  for (const fields of others) expect([fields, await isCovered(asking(fields))]).toEqual([fields, false]);
});

it('an answer for these very arguments covers them in any session', async () => {
  await approve(asking(), { scope: 'arguments', ms: 5_000 });
  expect(await isCovered(asking({ sessionId: 'another' }))).toBe(true);
  expect(await isCovered(asking({ args: '{"amount":121,"to":"ACME"}' }))).toBe(false);
});

it('an answer for a pattern covers what matches, with all else as it was approved', async () => {
  const pattern = { amount: '1??' };
  await approve(asking(), { scope: 'pattern', ms: 5_000, pattern });
  expect(await isCovered(asking({ args: '{"amount":199,"to":"ACME"}' }))).toBe(true);
  for (const args of [
    '{"amount":1999,"to":"ACME"}',
    '{"amount":199,"to":"EVIL"}',
    '{"to":"ACME"}',
    '{"amount":199,"to":"ACME","urgent":true}',
  ]) {
    expect([args, await isCovered(asking({ args }))]).toEqual([args, false]);
  }
});

it.each<[string, RememberWish, Partial<ApprovalRequest>]>([
  ['where the hooks allow nothing', { scope: 'session', ms: 1 }, { remember: null }],
  [
    'of a scope that they do not allow',
    { scope: 'session', ms: 1 },
    { remember: { scopes: ['arguments'], maxMs: 10 } },
  ],
  ['for no time', { scope: 'session', ms: 0 }, {}],
  ['for no number', { scope: 'session', ms: Number.NaN }, {}],
  ['for a session that nobody knows', { scope: 'session', ms: 1 }, { sessionId: '' }],
  ['of a pattern that is not given', { scope: 'pattern', ms: 1 }, {}],
  ['of an empty pattern', { scope: 'pattern', ms: 1, pattern: {} }, {}],
  ['of a pattern that is none', { scope: 'pattern', ms: 1, pattern: { amount: '[' } }, {}],
  ['of a pattern that does not match what is approved', { scope: 'pattern', ms: 1, pattern: { amount: '9*' } }, {}],
])('a wish to remember %s decides nothing', async (_, wish, fields) => {
  const request = asking(fields);
  expect(await approve(request, wish)).toMatchObject({ ok: false });
  expect(approvals.counts.refused).toEqual({ remember: 1 });
  expect(await approvals.request(request)).toMatchObject({ state: 'pending' });
  expect(await approvals.remembered()).toEqual([]);
});

it('ends by the hooks’ bound, is listed, can be revoked, and survives a restart', async () => {
  const before = Date.now();
  await approve(asking(), { scope: 'session', ms: Number.POSITIVE_INFINITY });
  await approvals.close();
  await open();
  const [entry] = await approvals.remembered();
  expect(entry).toMatchObject({ scope: 'session', tool: 'pay', decider: { channel: 'slack', id: 'U1' } });
  expect(entry?.expiresAt).toBeGreaterThanOrEqual(before + 10_000);
  expect(entry?.expiresAt).toBeLessThanOrEqual(Date.now() + 10_000);
  expect(await isCovered(asking())).toBe(true);
  expect(await approvals.revoke(entry?.id ?? '')).toBe(true);
  expect(await isCovered(asking())).toBe(false);
  expect(await approvals.revoke(entry?.id ?? '')).toBe(false);
});

it('a rejection is remembered never, and an end of time ends it', async () => {
  await approvals.request(asking());
  await approvals.decide('slack', slack.answer('reject', { remember: { scope: 'session', ms: 5_000 } }), Date.now());
  expect(await approvals.remembered()).toEqual([]);
  await approve(asking(), { scope: 'session', ms: 60 });
  expect(await isCovered(asking())).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 70));
  expect(await isCovered(asking())).toBe(false);
});

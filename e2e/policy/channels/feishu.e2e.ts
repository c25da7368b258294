import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FeishuChannel, type FeishuChannelOptions } from '@hermes-observer/policy';
import { afterEach, describe, expect, it } from 'vitest';
import {
  clickEvent,
  delivered,
  ENCRYPT_KEY,
  encrypted,
  FeishuServer,
  oldClick,
  signedByFeishu,
  VERIFICATION_TOKEN,
} from '../../../packages/policy/src/channels/feishu/feishu-server.test-support.js';
import { callback } from '../../../packages/policy/src/channels/scene.test-support.js';
import { skipWith } from '../../skip-with.js';
// @ts-expect-error: a script without types
import { oracle } from './oracles.mjs';
import { atEnd, endAll, openScene, post } from './scene.js';

const missing = process.env.POLICY_ORACLES_MISSING ?? '';

afterEach(endAll);

async function asked(given: Partial<FeishuChannelOptions> = {}) {
  const feishu = new FeishuServer();
  const baseUrl = await feishu.open();
  atEnd(() => feishu.close());
  const channel = new FeishuChannel({
    appId: 'cli_1',
    appSecret: 'secret',
    receiveId: 'oc_1',
    verificationToken: VERIFICATION_TOKEN,
    encryptKey: ENCRYPT_KEY,
    baseUrl,
    ...given,
  });
  const scene = await openScene(channel);
  const approval = await scene.ask({ amount: 5000, to: 'ACME' }, { approvers: ['feishu:ou_ada'] });
  const [card] = scene.cards;
  if (card === undefined) throw new Error('it was not shown');
  return { ...scene, feishu, approval, card, url: scene.server.urlOf('feishu') };
}

/** Feishu's own handler for cards, old or new. @returns its address, and what it took */
async function openSdk(keys: { encryptKey?: string; verificationToken?: string }) {
  const { CardActionHandler, EventDispatcher, adaptDefault } = oracle('@larksuiteoapi/node-sdk');
  const taken: Record<string, unknown>[] = [];
  const take = async (data: Record<string, unknown>) => {
    taken.push(data);
    return { toast: { type: 'success', content: 'ok' } };
  };
  const logger = { error() {}, warn() {}, info() {}, debug() {}, trace() {} };
  const events = new EventDispatcher({ ...keys, logger }).register({ 'card.action.trigger': take });
  const cards = new CardActionHandler({ ...keys, logger }, take);
  const options = { autoChallenge: true };
  const server = createServer((request, response) => {
    if (request.url === '/old') adaptDefault('/old', cards, options)(request, response);
    else adaptDefault('/', events, options)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, taken };
}

describe('Feishu and Lark', () => {
  it('what is encrypted here, their own library decrypts', (context) => {
    if (missing !== '') skipWith(context, missing);
    const { AESCipher } = oracle('@larksuiteoapi/node-sdk');
    const event = { text: 'é 日本 😀'.repeat(100) };
    expect(JSON.parse(new AESCipher(ENCRYPT_KEY).decrypt(encrypted(event)))).toEqual(event);
  });

  it('a click that their own library takes is taken, and says the same', async (context) => {
    if (missing !== '') skipWith(context, missing);
    const { approval, card, url, stateOf } = await asked();
    const sdk = await openSdk({ encryptKey: ENCRYPT_KEY, verificationToken: VERIFICATION_TOKEN });
    const request = delivered(clickEvent({ card }), Date.now());
    expect((await post(sdk.url, request)).text).toContain('success');
    expect(sdk.taken).toMatchObject([
      {
        operator: { open_id: 'ou_ada' },
        action: { value: { hermes_observer: `approve.${approval.id}.${card.token}.0` } },
      },
    ]);
    const { status, text } = await post(url, request);
    expect([status, JSON.parse(text).toast.type]).toEqual([200, 'success']);
    expect(await stateOf(approval)).toBe('approved');
  });

  it('an old click that their own library takes is taken', async (context) => {
    if (missing !== '') skipWith(context, missing);
    const { approval, card, url, stateOf } = await asked({ encryptKey: undefined });
    const sdk = await openSdk({ verificationToken: VERIFICATION_TOKEN });
    const request = signedByFeishu(JSON.stringify(oldClick({ card })), 'sha1', VERIFICATION_TOKEN, Date.now());
    expect((await post(`${sdk.url}old`, request)).text).toContain('success');
    expect(sdk.taken).toMatchObject([{ open_id: 'ou_ada', open_message_id: 'om_1' }]);
    expect((await post(url, request)).status).toBe(200);
    expect(await stateOf(approval)).toBe('approved');
  });

  it('the check of the address is answered as their own library answers it', async (context) => {
    if (missing !== '') skipWith(context, missing);
    const { url } = await asked();
    const sdk = await openSdk({ encryptKey: ENCRYPT_KEY, verificationToken: VERIFICATION_TOKEN });
    const check = { type: 'url_verification', challenge: 'c-1', token: VERIFICATION_TOKEN };
    const request = callback(JSON.stringify({ encrypt: encrypted(check) }), { 'content-type': 'application/json' });
    const answer = await post(url, request);
    expect([answer.status, answer.text]).toEqual([200, (await post(sdk.url, request)).text]);
  });

  it('what their own library lets through is refused: an old time, a key that is not set, another token inside', async (context) => {
    if (missing !== '') skipWith(context, missing);
    const { card, url, approval, stateOf } = await asked();
    const sdk = await openSdk({ encryptKey: ENCRYPT_KEY, verificationToken: VERIFICATION_TOKEN });
    for (const request of [
      delivered(clickEvent({ card }), Date.now() - 330_000),
      delivered(clickEvent({ card }), Date.now() + 330_000),
      delivered(clickEvent({ card, token: 'another' }), Date.now()),
    ]) {
      expect((await post(sdk.url, request)).text).toContain('success');
      expect((await post(url, request)).status).toBe(401);
    }
    const open = await openSdk({});
    const unset = await asked({ encryptKey: undefined, verificationToken: undefined });
    const unsigned = callback(JSON.stringify(clickEvent({ card: unset.card })), { 'content-type': 'application/json' });
    expect((await post(open.url, unsigned)).text).toContain('success');
    expect((await post(unset.url, unsigned)).status).toBe(401);
    expect([await stateOf(approval), await unset.stateOf(unset.approval)]).toEqual(['pending', 'pending']);
  });

  it('each single tampering is refused: byte, token, request, tenant, chat, message, approver, replay', async () => {
    const { approvals, approval, card, url, ask, cards, stateOf, feishu } = await asked();
    const other = await ask({ amount: 1 }, { approvers: ['feishu:ou_ada'] });
    const click = (given: object) => post(url, delivered(clickEvent({ card, ...given }), Date.now()));
    const right = delivered(clickEvent({ card }), Date.now());
    for (let at = 12; at < right.body.length; at += 61) {
      const body = Buffer.from(right.body);
      body[at] = (body[at] ?? 0) ^ 1;
      expect((await post(url, { ...right, body })).status).toBe(401);
    }
    for (const [given, kind] of [
      [{ value: `approve.${approval.id}.${cards[1]?.token}.0` }, 'token'],
      [{ value: `approve.${other.id}.${card.token}.0` }, 'token'],
      [{ tenant: 't-2' }, 'source'],
      [{ chat: 'oc_2' }, 'source'],
      [{ message: 'om_2' }, 'source'],
      [{ openId: 'ou_eve' }, 'person'],
    ] as const) {
      const before = approvals.counts.refused[kind] ?? 0;
      expect(JSON.parse((await click(given)).text).toast.type).toBe('warning');
      expect(approvals.counts.refused[kind], JSON.stringify(given)).toBe(before + 1);
    }
    expect([await stateOf(approval), await stateOf(other)]).toEqual(['pending', 'pending']);
    await post(url, right);
    expect(await stateOf(approval)).toBe('approved');
    expect(JSON.parse((await post(url, right)).text).toast.content).toBe('This answer was taken before.');
    expect(JSON.parse((await click({})).text).toast.content).toContain('It was approved already by feishu:ou_ada');
    await expect.poll(() => feishu.cards.filter(({ method }) => method === 'PATCH').length).toBe(1);
  });
});

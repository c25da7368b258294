import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallbackRequest } from '../base-channel.js';
import { handleCallback } from '../callbacks.js';
import { choiceValue } from '../choice-value.js';
import { callback, cardOf, HOSTILE, MemoryDecisions, UNSEEN } from '../scene.test-support.js';
import { FeishuChannel, type FeishuChannelOptions } from './feishu-channel.js';
import {
  buttonsOf,
  clickEvent,
  delivered,
  ENCRYPT_KEY,
  encrypted,
  FeishuServer,
  oldClick,
  signedByFeishu,
  VERIFICATION_TOKEN,
} from './feishu-server.test-support.js';

const NOW = 1_790_000_000_000;

let server: FeishuServer;
let baseUrl: string;
beforeEach(async () => {
  server = new FeishuServer();
  baseUrl = await server.open();
});
afterEach(() => server.close());

const options = (): FeishuChannelOptions => ({
  appId: 'cli_1',
  appSecret: 'secret',
  receiveId: 'oc_1',
  verificationToken: VERIFICATION_TOKEN,
  encryptKey: ENCRYPT_KEY,
  baseUrl,
});

async function asked(given: Parameters<typeof cardOf>[1] = {}, more: Partial<FeishuChannelOptions> = {}) {
  const channel = new FeishuChannel({ ...options(), ...more });
  const decisions = new MemoryDecisions();
  const card = cardOf({ amount: 5000, to: 'ACME' }, given);
  await decisions.show(channel, card);
  const send = (request: CallbackRequest, now = NOW) => handleCallback([channel], decisions, 'feishu', request, now);
  return { channel, decisions, card, send };
}

const plainTexts = (elements: readonly Record<string, unknown>[]) =>
  elements.flatMap(({ text }) => (text === undefined ? [] : [(text as { content: string }).content]));

describe('what it shows', () => {
  it('all of the arguments, the digest, and buttons with names', async () => {
    const { card, channel } = await asked();
    expect(server.cards[0]).toMatchObject({
      method: 'POST',
      path: '/open-apis/im/v1/messages?receive_id_type=chat_id',
    });
    const texts = plainTexts(server.lastElements);
    expect(texts).toContain(card.args);
    expect(texts).toContain(`Digest: ${card.approval.digest}`);
    expect(buttonsOf(server.cards[0]?.card ?? {}).map(({ name, behaviors }) => [name, behaviors])).toEqual([
      ['hermes_approve', [{ type: 'callback', value: { hermes_observer: choiceValue('approve', card) } }]],
      ['hermes_reject', [{ type: 'callback', value: { hermes_observer: choiceValue('reject', card) } }]],
    ]);
    const ref = { channel: 'feishu', tenant: 't-1', chat: 'oc_1', message: 'om_1' };
    await channel.update(ref, { ...card.approval, state: 'expired' });
    expect(server.cards[1]).toMatchObject({ method: 'PATCH', path: '/open-apis/im/v1/messages/om_1' });
    const after = JSON.stringify(server.cards[1]?.card);
    expect(after).toContain('Nobody answered in time: not approved.');
    expect(after).not.toContain(card.token);
    expect(after).not.toContain('"button"');
  });

  it('arguments over 30 KB: says how much is missing, with digest and page, and Feishu takes it', async () => {
    for (const text of ['x'.repeat(50_000), '日'.repeat(20_000), '\u202e'.repeat(20_000), '"\\\n'.repeat(9000)]) {
      const channel = new FeishuChannel(options());
      const card = cardOf({ text }, {}, 'http://127.0.0.1:4319/approvals/x');
      await channel.send(card);
      const note = plainTexts(server.lastElements).find((one) => one.startsWith('NOT ALL IS SHOWN')) ?? '';
      expect(note).toContain(card.approval.digest);
      expect(note).toContain('http://127.0.0.1:4319/approvals/x');
      await channel.send(cardOf({ text }));
      expect(buttonsOf(server.cards.at(-1)?.card ?? {}).map(({ name }) => name)).toEqual(['hermes_reject']);
    }
  });

  it('markup in arguments, tool and title is plain text', async () => {
    for (const text of HOSTILE) {
      await new FeishuChannel(options()).send(cardOf({ text }, { tool: text, title: text, agent: text }));
      const { card } = server.cards.at(-1) ?? { card: {} };
      const tags = new Set(JSON.stringify(card).match(/(?<!\\)"tag":"\w+"/g));
      expect(tags).toEqual(new Set(['div', 'plain_text', 'hr', 'button'].map((tag) => `"tag":"${tag}"`)));
      expect(buttonsOf(card)).toHaveLength(2);
      expect(plainTexts(server.lastElements).join('')).not.toMatch(UNSEEN);
    }
  });

  it('the token is asked for once, kept, renewed before it ends, and when Feishu takes it no longer', async () => {
    let now = NOW;
    const channel = new FeishuChannel({ ...options(), now: () => now });
    await Promise.all(Array.from({ length: 5 }, () => channel.send(cardOf({}))));
    expect(server.tokens).toBe(1);
    now += 7_199_000 - 300_000;
    await channel.send(cardOf({}));
    expect(server.tokens).toBe(1);
    now += 2_000;
    await channel.send(cardOf({}));
    expect(server.tokens).toBe(2);
    server.staleUpTo = 2;
    await channel.send(cardOf({}));
    expect(server.tokens).toBe(3);
    server.staleUpTo = 99;
    await expect(channel.send(cardOf({}))).rejects.toMatchObject({
      code: 'HO_POLICY_CHANNEL',
      message: 'feishu: /open-apis/im/v1/messages answered 99991663.',
    });
  });

  it('a card whose tenant is not known, or not the one that is set, counts as not sent', async () => {
    server.senderTenant = undefined;
    await expect(new FeishuChannel(options()).send(cardOf({}))).rejects.toMatchObject({ code: 'HO_POLICY_CHANNEL' });
    await expect(new FeishuChannel({ ...options(), tenantKey: 't-1' }).send(cardOf({}))).resolves.toMatchObject({
      tenant: 't-1',
    });
    server.senderTenant = 't-2';
    await expect(new FeishuChannel({ ...options(), tenantKey: 't-1' }).send(cardOf({}))).rejects.toThrow('another');
  });

  it('a wrong secret is told without it', async () => {
    await expect(new FeishuChannel({ ...options(), appSecret: 'wrong-one' }).send(cardOf({}))).rejects.toMatchObject({
      message: 'feishu: /open-apis/auth/v3/tenant_access_token/internal answered 10014.',
    });
  });
});

describe('a click', () => {
  it('encrypted and signed, decides; the answer has a toast and the card without buttons', async () => {
    const { decisions, card, send } = await asked({ approvers: ['feishu:ou_ada'] });
    const reply = await send(delivered(clickEvent({ card }), NOW));
    expect(decisions.decided).toMatchObject([
      {
        choice: 'approve',
        decider: { channel: 'feishu', id: 'ou_ada' },
        source: { tenant: 't-1', chat: 'oc_1', message: 'om_1' },
      },
    ]);
    const body = JSON.parse(reply.body);
    expect(body.toast).toEqual({ type: 'success', content: 'approved.' });
    expect(body.card).toMatchObject({ type: 'raw', data: { schema: '2.0' } });
    expect(reply.body).not.toContain('"button"');
  });

  it('of nobody who may decide: a toast for them, and the card stays', async () => {
    const { decisions, card, send } = await asked({ approvers: ['feishu:ou_bob'] });
    const { body } = await send(delivered(clickEvent({ card }), NOW));
    expect(JSON.parse(body)).toEqual({ toast: { type: 'warning', content: 'You may not decide this.' } });
    expect(decisions.decided).toEqual([]);
  });

  it('of one event counts once, whatever nonce and signature it comes with again', async () => {
    const { decisions, card, send } = await asked();
    decisions.decided.length = 0;
    const event = clickEvent({ card, value: `reject.${card.approval.id}.${card.token}.0`, eventId: 'e-1' });
    await send(delivered(event, NOW));
    const again = await send(delivered(event, NOW + 1000));
    expect(decisions.decided).toHaveLength(1);
    expect(JSON.parse(again.body).toast.content).toBe('This answer was taken before.');
  });

  it('with a token, request, tenant, chat, message, person or verification token that is not its own decides nothing', async () => {
    const { decisions, card, send } = await asked({ approvers: ['feishu:ou_ada'] });
    const other = cardOf({});
    for (const wrong of [
      { value: `approve.${card.approval.id}.${other.token}.0` },
      { value: `approve.${other.approval.id}.${card.token}.0` },
      { value: 'approve' },
      { tenant: 't-2' },
      { chat: 'oc_2' },
      { message: 'om_2' },
      { openId: 'ou_bob' },
      { token: 'another-token' },
      { token: '' },
    ]) {
      await send(delivered(clickEvent({ card, ...wrong }), NOW));
      expect(decisions.decided, JSON.stringify(wrong)).toEqual([]);
    }
    for (const strip of ['context', 'operator', 'action'] as const) {
      const event = clickEvent({ card });
      delete (event.event as Record<string, unknown>)[strip];
      await send(delivered(event, NOW));
      expect(decisions.decided, strip).toEqual([]);
    }
    await send(delivered(clickEvent({ card }), NOW));
    expect(decisions.decided).toHaveLength(1);
  });

  it('with one byte changed, a time that is off, another key, no signature or no encryption is refused', async () => {
    const { decisions, card, send } = await asked();
    const right = delivered(clickEvent({ card }), NOW);
    const plainBody = JSON.stringify(clickEvent({ card }));
    for (let at = 0; at < right.body.length; at += 97) {
      const bytes = Buffer.from(right.body);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect((await send({ ...right, body: bytes })).status).toBe(401);
    }
    const changed = (name: string, value: string | undefined) => ({
      ...right,
      headers: { ...right.headers, [name]: value },
    });
    const seconds = String(right.headers['x-lark-request-timestamp']);
    const nonce = String(right.headers['x-lark-request-nonce']);
    const wandered = {
      ...right,
      headers: {
        ...right.headers,
        'x-lark-request-timestamp': `${seconds}${nonce[0]}`,
        'x-lark-request-nonce': nonce.slice(1),
      },
    };
    for (const [request, now] of [
      [right, NOW + 301_000],
      [right, NOW - 301_000],
      [changed('x-lark-signature', undefined), NOW],
      [changed('x-lark-request-nonce', 'other'), NOW],
      [changed('x-lark-request-nonce', undefined), NOW],
      [changed('x-lark-request-timestamp', String(Number(seconds) + 1)), NOW],
      [wandered, NOW],
      [delivered(clickEvent({ card }), NOW, 'another'), NOW],
      [signedByFeishu(plainBody, 'sha256', ENCRYPT_KEY, NOW), NOW],
      [signedByFeishu(plainBody, 'sha1', VERIFICATION_TOKEN, NOW), NOW],
      [signedByFeishu(JSON.stringify(oldClick({ card })), 'sha1', VERIFICATION_TOKEN, NOW), NOW],
      [callback(plainBody), NOW],
      [callback(JSON.stringify({ encrypt: encrypted(clickEvent({ card })) })), NOW],
    ] as const) {
      expect((await send(request, now)).status).toBe(401);
    }
    expect(decisions.decided).toEqual([]);
    await send(right, NOW + 299_000);
    expect(decisions.decided).toHaveLength(1);
  });

  it('a signature that was made longer, as plain hashes allow, does not help', async () => {
    const { decisions, card, send } = await asked();
    const right = delivered(clickEvent({ card }), NOW);
    // The bytes that an attacker can add have padding in them, which is no JSON; here with a signature that is right.
    const body = Buffer.concat([right.body, Buffer.from([0x80, 0, 0]), Buffer.from('{"schema":"2.0"}')]);
    expect((await send(signedByFeishu(body, 'sha256', ENCRYPT_KEY, NOW))).status).toBe(401);
    expect(decisions.decided).toEqual([]);
  });

  it('with a key that is not set is refused', async () => {
    for (const keys of [
      { verificationToken: undefined },
      { encryptKey: undefined, oldCallbacks: false },
      { encryptKey: '', verificationToken: '' },
      { encryptKey: undefined },
    ]) {
      const { decisions, card, send } = await asked({}, keys);
      for (const request of [
        delivered(clickEvent({ card }), NOW),
        delivered(clickEvent({ card, token: '' }), NOW),
        delivered(clickEvent({ card, token: '' }), NOW, ''),
        signedByFeishu(JSON.stringify(clickEvent({ card })), 'sha256', '', NOW),
        signedByFeishu(JSON.stringify(clickEvent({ card })), 'sha1', '', NOW),
        signedByFeishu(JSON.stringify(clickEvent({ card })), 'sha1', VERIFICATION_TOKEN, NOW),
        callback(JSON.stringify(clickEvent({ card }))),
      ]) {
        expect((await send(request)).status).toBe(401);
      }
      expect(decisions.decided).toEqual([]);
    }
  });

  it('of the old kind, signed with SHA-1, decides where that kind is taken', async () => {
    for (const keys of [{ encryptKey: undefined }, { oldCallbacks: true }]) {
      const { decisions, card, send } = await asked({}, keys);
      const body = JSON.stringify(oldClick({ card }));
      const right = signedByFeishu(body, 'sha1', VERIFICATION_TOKEN, NOW);
      expect((await send({ ...right, body: Buffer.from(body.replace('ou_ada', 'ou_eve')) })).status).toBe(401);
      expect((await send(right, NOW + 301_000)).status).toBe(401);
      for (const wrong of [{ chat: 'oc_2' }, { tenant: 't-2' }, { message: 'om_2' }]) {
        await send(signedByFeishu(JSON.stringify(oldClick({ card, ...wrong })), 'sha1', VERIFICATION_TOKEN, NOW));
      }
      expect(decisions.decided).toEqual([]);
      await send(right);
      await send(right);
      expect(decisions.decided).toHaveLength(1);
    }
  });
});

describe('the check of the address', () => {
  const check = { type: 'url_verification', challenge: 'c-1', token: VERIFICATION_TOKEN };

  it('is answered with the challenge, encrypted or not', async () => {
    const { send } = await asked();
    const reply = await send(callback(JSON.stringify({ encrypt: encrypted(check) })));
    expect([reply.status, reply.body]).toEqual([200, '{"challenge":"c-1"}']);
    const plain = await asked({}, { encryptKey: undefined });
    expect((await plain.send(callback(JSON.stringify(check)))).body).toBe('{"challenge":"c-1"}');
  });

  it('with another token, or not encrypted where it has to be, is refused', async () => {
    const { send } = await asked();
    for (const body of [
      JSON.stringify(check),
      JSON.stringify({ encrypt: encrypted({ ...check, token: 'wrong' }) }),
      JSON.stringify({ encrypt: encrypted({ ...check, token: undefined }) }),
      JSON.stringify({ encrypt: encrypted(check, 'another') }),
      JSON.stringify({ encrypt: 'AAAA' }),
      '[]',
      'null',
      '',
    ]) {
      expect((await send(callback(body))).status, body).toBe(401);
    }
  });
});

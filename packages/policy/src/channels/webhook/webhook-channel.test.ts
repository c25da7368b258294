import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handleCallback } from '../callbacks.js';
import {
  type Answer,
  callback,
  cardOf,
  type Got,
  HOSTILE,
  LocalServer,
  MemoryDecisions,
} from '../scene.test-support.js';
import { StandardWebhook } from './standard-webhook.js';
import { WebhookChannel } from './webhook-channel.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const NOW = 1_790_000_000_000;
const sign = (body: string, id = 'msg_a', now = NOW, secret = SECRET) =>
  callback(body, new StandardWebhook('test', [secret]).sign(id, body, now));

let server: LocalServer;
let url: string;
let answers: Answer[];
beforeEach(async () => {
  answers = [];
  server = new LocalServer(() => answers.shift() ?? { status: 204, body: '' });
  url = await server.open();
});
afterEach(() => server.close());

const messageOf = (got: Got | undefined) => JSON.parse(got?.text ?? '{}');
const asCallback = ({ text, headers }: Got) => callback(text, headers);

describe('what it sends', () => {
  it('all of the arguments, signed so that the other side can tell', async () => {
    for (const text of HOSTILE) {
      const card = cardOf({ text });
      const { message } = await new WebhookChannel({ url, secret: SECRET, now: () => NOW }).send(card);
      const got = server.got.at(-1) as Got;
      expect(new StandardWebhook('test', [SECRET]).verify(asCallback(got), NOW)).toEqual({ ok: true });
      expect(new StandardWebhook('test', [OTHER]).verify(asCallback(got), NOW)).toMatchObject({ ok: false });
      expect(got.headers['webhook-id']).toBe(message);
      const { type, data } = messageOf(got);
      expect([type, data.message_id, data.digest, data.token, data.arguments_whole]).toEqual([
        'approval.requested',
        message,
        card.approval.digest,
        card.token,
        true,
      ]);
      expect(JSON.parse(data.arguments)).toEqual(JSON.parse(card.args));
    }
  });

  it('of more than its limit: says so, with size, digest and page', async () => {
    const channel = new WebhookChannel({ url, secret: SECRET, maxArgs: 1000 });
    await channel.send(cardOf({ text: 'x'.repeat(5000) }));
    const { data } = messageOf(server.got[0]);
    expect(data).toMatchObject({ arguments_whole: false, arguments_bytes: 5016, may_approve: false });
    expect(data.arguments).toHaveLength(1000);
    expect(data.note).toContain(data.digest);
    await channel.send(cardOf({ text: 'x'.repeat(5000) }, {}, 'https://pages.example/1'));
    expect(messageOf(server.got[1]).data).toMatchObject({
      may_approve: true,
      note: expect.stringContaining('https://pages.example/1'),
    });
  });

  it('is tried again under the same id, and given up where it is refused', async () => {
    answers = [
      { status: 503, body: '' },
      { status: 204, body: '' },
    ];
    await new WebhookChannel({ url, secret: SECRET }).send(cardOf({}));
    expect(new Set(server.got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(server.got).toHaveLength(2);
    answers = [{ status: 410, body: '' }];
    const gone = new WebhookChannel({ url, secret: SECRET }).send(cardOf({}));
    await expect(gone).rejects.toMatchObject({
      code: 'HO_POLICY_CHANNEL',
      message: 'webhook: the address answered 410.',
    });
    expect(server.got).toHaveLength(3);
  });

  it('does not follow where it is sent on: the key of the request would go along', async () => {
    answers = Array.from({ length: 3 }, () => ({ status: 307, headers: { location: `${url}/elsewhere` }, body: '' }));
    await expect(new WebhookChannel({ url, secret: SECRET }).send(cardOf({}))).rejects.toMatchObject({
      code: 'HO_POLICY_CHANNEL',
    });
    expect(new Set(server.got.map(({ path }) => path))).toEqual(new Set(['/']));
  });

  it('what became of it', async () => {
    const channel = new WebhookChannel({ url, secret: SECRET });
    const { approval } = cardOf({}, { state: 'approved', decider: { channel: 'slack', id: 'U1' }, decidedAt: NOW });
    await channel.update({ channel: 'webhook', tenant: '', chat: '', message: 'msg_1' }, approval);
    expect(messageOf(server.got[0])).toMatchObject({
      type: 'approval.decided',
      data: { message_id: 'msg_1', approval_id: approval.id, state: 'approved', decider: 'slack:U1' },
    });
  });

  it('secrets that are short or none, and addresses that are not safe, do not start', () => {
    for (const wrong of [
      { secret: '' },
      { secret: 'whsec_c2hvcnQ=' },
      { secret: [] },
      { url: 'http://example.com/' },
      { url: 'x' },
    ]) {
      expect(() => new WebhookChannel({ url, secret: SECRET, ...wrong })).toThrow(
        expect.objectContaining({ code: 'HO_POLICY_CONFIG' }),
      );
    }
  });
});

describe('an answer', () => {
  async function asked(given: Parameters<typeof cardOf>[1] = {}, answerSecret?: string[]) {
    const channel = new WebhookChannel({ url, secret: SECRET, answerSecret });
    const decisions = new MemoryDecisions();
    const card = cardOf({ amount: 1 }, given);
    const { message } = await decisions.show(channel, card);
    const right = {
      approval_id: card.approval.id,
      token: card.token,
      choice: 'approve',
      approver: 'ada',
      message_id: message,
    };
    const bodyOf = (data: object = {}) => JSON.stringify({ type: 'approval.answer', data: { ...right, ...data } });
    const send = (request: ReturnType<typeof callback>, now = NOW) =>
      handleCallback([channel], decisions, 'webhook', request, now);
    return { decisions, bodyOf, send };
  }

  it('decides, once', async () => {
    const { decisions, bodyOf, send } = await asked({ approvers: ['webhook:ada'] });
    const reply = await send(sign(bodyOf({ comment: 'fine' })));
    expect([reply.status, JSON.parse(reply.body)]).toEqual([200, { ok: true, text: 'approved.', state: 'approved' }]);
    expect((await send(sign(bodyOf({ comment: 'fine' }), 'msg_a', NOW + 1000))).status).toBe(409);
    expect((await send(sign(bodyOf(), 'msg_b'))).status).toBe(409);
    expect(decisions.decided).toMatchObject([{ choice: 'approve', comment: 'fine', decider: { id: 'ada' } }]);
  });

  it('with one byte, id, time, secret or signature changed is refused', async () => {
    const { decisions, bodyOf, send } = await asked();
    const right = sign(bodyOf());
    for (let at = 0; at < right.body.length; at += 29) {
      const bytes = Buffer.from(right.body);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect((await send({ ...right, body: bytes })).status).toBe(401);
    }
    const signature = String(right.headers['webhook-signature']);
    const changed = (headers: Record<string, string | undefined>) => ({
      ...right,
      headers: { ...right.headers, ...headers },
    });
    for (const [request, now] of [
      [right, NOW + 301_000],
      [right, NOW - 301_000],
      [changed({ 'webhook-id': 'msg_b' }), NOW],
      [changed({ 'webhook-id': undefined }), NOW],
      [changed({ 'webhook-id': `msg_a.${NOW / 1000}`, 'webhook-timestamp': String(NOW / 1000) }), NOW],
      [changed({ 'webhook-timestamp': String(NOW / 1000 + 1) }), NOW],
      [changed({ 'webhook-signature': signature.replace('v1,', 'v1a,') }), NOW],
      [changed({ 'webhook-signature': signature.slice(0, -2) }), NOW],
      [changed({ 'webhook-signature': '' }), NOW],
      [changed({ 'webhook-signature': `${'v1,x '.repeat(20)}${signature}` }), NOW],
      [sign(bodyOf(), 'msg_a', NOW, OTHER), NOW],
      [sign(bodyOf(), 'msg.a'), NOW],
    ] as const) {
      expect((await send(request, now)).status).toBe(401);
    }
    expect(decisions.decided).toEqual([]);
    expect((await send(changed({ 'webhook-signature': `v1a,x ${signature}` }))).status).toBe(200);
  });

  it('of another request, message, person or kind decides nothing', async () => {
    const { decisions, bodyOf, send } = await asked({ approvers: ['webhook:ada'] });
    const wrong = [
      { token: 'x' },
      { approval_id: 'x' },
      { message_id: 'msg_other' },
      { approver: 'eve' },
      { approver: undefined },
      { choice: 'yes' },
      { choice: undefined },
      { remember: { scope: 'everything', ms: 1 } },
      { comment: {} },
    ];
    for (const [i, one] of wrong.entries()) {
      await send(sign(bodyOf(one), `msg_w${i}`));
      expect(decisions.decided, JSON.stringify(one)).toEqual([]);
    }
    expect((await send(sign('{"type":"other"}', 'msg_o'))).status).toBe(204);
    expect((await send(sign(bodyOf(), 'msg_good'))).status).toBe(200);
  });

  it('is verified with either secret while one is replaced', async () => {
    const { bodyOf, send } = await asked({}, [OTHER, SECRET]);
    expect((await send(sign(bodyOf({ token: 'x' }), 'msg_1', NOW, SECRET))).status).toBe(409);
    expect((await send(sign(bodyOf(), 'msg_2', NOW, OTHER))).status).toBe(200);
  });
});

import { WebhookChannel } from '@hermes-observer/policy';
import { afterEach, describe, expect, it } from 'vitest';
import { type Got, LocalServer } from '../../../packages/policy/src/channels/scene.test-support.js';
import { skipWith } from '../../skip-with.js';
// @ts-expect-error: a script without types
import { oracle } from './oracles.mjs';
import { atEnd, endAll, openScene, post } from './scene.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const missing = process.env.POLICY_ORACLES_MISSING ?? '';

afterEach(endAll);

async function asked() {
  const receiver = new LocalServer(() => ({ status: 204, body: '' }));
  const channel = new WebhookChannel({ url: await receiver.open(), secret: SECRET });
  atEnd(() => receiver.close());
  const scene = await openScene(channel);
  const approval = await scene.ask({ amount: 5000, to: 'é 日本' }, { approvers: ['webhook:ada'] });
  return { ...scene, receiver, approval, url: scene.server.urlOf('webhook') };
}

describe('Standard Webhooks', () => {
  it('what is sent, their own library verifies; what it signs, is taken', async (context) => {
    if (missing !== '') skipWith(context, missing);
    const { Webhook } = oracle('standardwebhooks');
    const library = new Webhook(SECRET);
    const { receiver, approval, url, stateOf, server } = await asked();
    const { text, headers } = receiver.got[0] as Got;
    const { data } = library.verify(text, headers) as { data: Record<string, string> };
    expect(() => new Webhook(`whsec_${Buffer.alloc(32, 8).toString('base64')}`).verify(text, headers)).toThrow();
    expect(data).toMatchObject({ approval_id: approval.id, digest: approval.digest });
    const answer = JSON.stringify({
      type: 'approval.answer',
      data: {
        approval_id: data.approval_id,
        token: data.token,
        choice: 'approve',
        approver: 'ada',
        message_id: data.message_id,
      },
    });
    const signed = (id: string, body: string, time: Date) => ({
      body: Buffer.from(body),
      headers: {
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
        'webhook-signature': library.sign(id, time, body) as string,
      },
    });
    const right = signed('msg_1', answer, new Date());
    for (const wrong of [
      { ...right, body: Buffer.from(answer.replace('approve', 'approvE')) },
      { ...right, headers: { ...right.headers, 'webhook-id': 'msg_2' } },
      signed('msg_3', answer, new Date(Date.now() - 330_000)),
      signed('msg_4', answer, new Date(Date.now() + 330_000)),
    ]) {
      expect(() => library.verify(wrong.body.toString(), wrong.headers)).toThrow();
      expect((await post(url, wrong)).status).toBe(401);
    }
    expect((await post(url, signed('msg_5', answer.replace('"ada"', '"eve"'), new Date()))).status).toBe(409);
    expect(await stateOf(approval)).toBe('pending');
    expect(server.refused).toMatchObject({ 'the signature is missing or wrong': 2 });
    expect((await post(url, right)).status).toBe(200);
    expect(await stateOf(approval)).toBe('approved');
    expect((await post(url, right)).status).toBe(409);
    await expect.poll(() => receiver.got.length).toBe(2);
    const told = receiver.got[1] as Got;
    expect(library.verify(told.text, told.headers)).toMatchObject({
      type: 'approval.decided',
      data: { state: 'approved' },
    });
  });
});

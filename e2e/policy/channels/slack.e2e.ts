import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SlackChannel, type SlackChannelOptions } from '@hermes-observer/policy';
import { afterEach, describe, expect, it } from 'vitest';
import {
  clickPayload,
  formOf,
  SlackServer,
  signedBySlack,
} from '../../../packages/policy/src/channels/slack/slack-server.test-support.js';
import { skipWith } from '../../skip-with.js';
// @ts-expect-error: a script without types
import { oracle } from './oracles.mjs';
import { atEnd, endAll, openScene, post } from './scene.js';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const missing = process.env.POLICY_ORACLES_MISSING ?? '';

afterEach(endAll);

async function asked(given: Partial<SlackChannelOptions> = {}, approvers = ['slack:U0ADA']) {
  const slack = new SlackServer();
  const baseUrl = await slack.open();
  atEnd(() => slack.close());
  const channel = new SlackChannel({ token: 'xoxb-test', signingSecret: SECRET, channel: 'C0PAY', baseUrl, ...given });
  const scene = await openScene(channel);
  const approval = await scene.ask({ amount: 5000, to: 'ACME' }, { approvers });
  const [card] = scene.cards;
  const ts = approval.messages[0]?.message;
  if (card === undefined || ts === undefined) throw new Error('it was not shown');
  return { ...scene, slack, baseUrl, approval, card, ts, url: scene.server.urlOf('slack') };
}

/** Slack's own receiver and app. @returns its address, and the values of buttons that it took */
async function openBolt(slackApiUrl: string) {
  const { App, HTTPReceiver } = oracle('@slack/bolt');
  const logger = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => 'error', setName() {} };
  const receiver = new HTTPReceiver({ signingSecret: SECRET, endpoints: ['/'], logger });
  const app = new App({
    receiver,
    logger,
    clientOptions: { slackApiUrl: `${slackApiUrl}/` },
    authorize: async () => ({ botToken: 'xoxb-test', botId: 'B1', botUserId: 'U0BOT' }),
  });
  const values: string[] = [];
  app.action(/^hermes_/, async ({ ack, action }: { ack: () => Promise<void>; action: { value: string } }) => {
    values.push(action.value);
    await ack();
  });
  const server = createServer(receiver.requestListener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, values };
}

describe('Slack', () => {
  it('a click that its own library takes is taken, and says the same', async (context) => {
    if (missing !== '') skipWith(context, missing);
    const { approval, card, ts, url, baseUrl, stateOf } = await asked();
    const bolt = await openBolt(baseUrl);
    const request = signedBySlack(formOf(clickPayload({ card, ts })), SECRET, Date.now());
    expect((await post(bolt.url, request)).status).toBe(200);
    expect(bolt.values).toEqual([`approve.${approval.id}.${card.token}.0`]);
    expect((await post(url, request)).status).toBe(200);
    expect(await stateOf(approval)).toBe('approved');
  });

  it('what its own library refuses is refused, and more: a time ahead of ours', async (context) => {
    if (missing !== '') skipWith(context, missing);
    const { approval, card, ts, url, baseUrl, stateOf } = await asked();
    const bolt = await openBolt(baseUrl);
    const body = formOf(clickPayload({ card, ts }));
    const right = signedBySlack(body, SECRET, Date.now());
    const changed = Buffer.from(right.body);
    changed[99] = (changed[99] ?? 0) ^ 1;
    for (const request of [
      { ...right, body: changed },
      signedBySlack(body, SECRET, Date.now() - 330_000),
      signedBySlack(body, 'another', Date.now()),
      { ...right, headers: { ...right.headers, 'x-slack-signature': 'v0=' } },
      { ...right, headers: { ...right.headers, 'x-slack-request-timestamp': '1' } },
    ]) {
      expect((await post(bolt.url, request)).status).toBe(401);
      expect((await post(url, request)).status).toBe(401);
    }
    const ahead = signedBySlack(body, SECRET, Date.now() + 330_000);
    expect((await post(bolt.url, ahead)).status).toBe(200);
    expect((await post(url, ahead)).status).toBe(401);
    expect(await stateOf(approval)).toBe('pending');
  });

  it('each single tampering is refused: token, request, team, chat, message, approver, replay', async () => {
    const { approvals, approval, card, ts, url, ask, cards, stateOf, slack } = await asked();
    const other = await ask({ amount: 1 }, { approvers: ['slack:U0ADA'] });
    const otherToken = cards[1]?.token;
    const click = (given: object) =>
      post(url, signedBySlack(formOf(clickPayload({ card, ts, ...given })), SECRET, Date.now()));
    for (const [given, kind] of [
      [{ value: `approve.${approval.id}.${otherToken}.0` }, 'token'],
      [{ value: `approve.${other.id}.${card.token}.0` }, 'token'],
      [{ team: 'T99', userTeam: 'T99' }, 'source'],
      [{ userTeam: 'T99' }, 'source'],
      [{ channel: 'C0OTHER' }, 'source'],
      [{ ts: other.messages[0]?.message }, 'source'],
      [{ user: 'U0EVE' }, 'person'],
    ] as const) {
      const before = approvals.counts.refused[kind] ?? 0;
      expect((await click(given)).status).toBe(200);
      expect(approvals.counts.refused[kind], JSON.stringify(given)).toBe(before + 1);
    }
    expect([await stateOf(approval), await stateOf(other)]).toEqual(['pending', 'pending']);
    const right = signedBySlack(formOf(clickPayload({ card, ts })), SECRET, Date.now());
    await post(url, right);
    expect(await stateOf(approval)).toBe('approved');
    // The same bytes again, and the same button again in a delivery of its own.
    const before = approvals.counts.refused.state ?? 0;
    await post(url, right);
    expect(approvals.counts.refused.state ?? 0).toBe(before);
    await click({ extra: { trigger_id: 'again' } });
    expect(approvals.counts.refused.state).toBe(before + 1);
    await expect.poll(() => slack.callsOf('chat.update').length).toBe(1);
    expect(JSON.stringify(slack.callsOf('chat.update'))).toContain('Approved by slack:U0ADA');
  });

  it('answers in time, also while Slack does not change the message, and while the store is slow', async () => {
    const { approval, card, ts, url, stateOf, slack, approvals } = await asked();
    let release = () => {};
    slack.hold = new Promise((resolve) => {
      release = resolve;
    });
    const began = performance.now();
    const request = signedBySlack(formOf(clickPayload({ card, ts })), SECRET, Date.now());
    expect((await post(url, request)).status).toBe(200);
    expect(performance.now() - began).toBeLessThan(1500);
    expect(await stateOf(approval)).toBe('approved');
    release();
    await expect.poll(() => slack.callsOf('chat.update').length).toBe(1);

    const decide = approvals.decide.bind(approvals);
    approvals.decide = async (...given) => {
      await new Promise((resolve) => setTimeout(resolve, 4000));
      return decide(...given);
    };
    const again = performance.now();
    const late = signedBySlack(formOf(clickPayload({ card, ts, extra: { trigger_id: 'late' } })), SECRET, Date.now());
    expect((await post(url, late)).status).toBe(200);
    expect(performance.now() - again).toBeLessThan(3000);
  });

  it('without a signing secret nothing starts', () => {
    expect(() => new SlackChannel({ token: 'x', signingSecret: '', channel: 'C0PAY' })).toThrow(
      expect.objectContaining({ code: 'HO_POLICY_CONFIG' }),
    );
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallbackRequest } from '../base-channel.js';
import { handleCallback } from '../callbacks.js';
import { choiceValue } from '../choice-value.js';
import { cardOf, eventually, HOSTILE, MemoryDecisions, UNSEEN } from '../scene.test-support.js';
import { SlackChannel, type SlackChannelOptions } from './slack-channel.js';
import { clickPayload, formOf, SlackServer, signedBySlack, textsOf } from './slack-server.test-support.js';

const SECRET = '8f742231b10e8888abcd99yyyzzz85a5';
const NOW = 1_790_000_000_000;

let server: SlackServer;
let baseUrl: string;
beforeEach(async () => {
  server = new SlackServer();
  baseUrl = await server.open();
});
afterEach(() => server.close());

const options = () => ({ token: 'xoxb-test', signingSecret: SECRET, channel: 'C0PAY', appId: 'A0APP', baseUrl });

async function asked(given: Parameters<typeof cardOf>[1] = {}, more: Partial<SlackChannelOptions> = {}) {
  const channel = new SlackChannel({ ...options(), ...more });
  const decisions = new MemoryDecisions();
  const card = cardOf({ amount: 5000, to: 'ACME' }, given);
  const { message: ts } = await decisions.show(channel, card);
  const send = (request: CallbackRequest, now = NOW) => handleCallback([channel], decisions, 'slack', request, now);
  const click = (body: string) => send(signedBySlack(body, SECRET, NOW));
  return { channel, decisions, card, ts, send, click };
}

describe('what it shows', () => {
  it('all of the arguments, the digest, and buttons', async () => {
    const { card, channel } = await asked();
    const texts = textsOf(server.lastBlocks);
    expect(texts).toContain(card.args);
    expect(texts).toContain(card.approval.digest);
    expect(server.lastBlocks.at(-1)?.elements?.map(({ value }) => value)).toEqual([
      choiceValue('approve', card),
      choiceValue('reject', card),
    ]);
    await channel.update(
      { channel: 'slack', tenant: 'T01', chat: 'C0PAY', message: '1.2' },
      { ...card.approval, state: 'approved', decider: { channel: 'slack', id: 'U0ADA' } },
    );
    const after = JSON.stringify(server.lastBlocks);
    expect(after).toContain('Approved by slack:U0ADA');
    expect(after).toContain('"user_id":"U0ADA"');
    expect(after).not.toContain(card.token);
    expect(after).not.toContain('"actions"');
  });

  it('arguments longer than a message: says how much is missing, with digest and page, and Slack takes it', async () => {
    const page = 'http://127.0.0.1:4319/approvals/x';
    for (const text of ['x'.repeat(50_000), '\u202e'.repeat(20_000), '"\\'.repeat(9000), '日本'.repeat(9000)]) {
      const channel = new SlackChannel(options());
      const card = cardOf({ text }, {}, page);
      await channel.send(card);
      const texts = textsOf(server.lastBlocks);
      const note = texts.find((one) => one.startsWith('NOT ALL IS SHOWN')) ?? '';
      expect(note).toContain(card.approval.digest);
      expect(note).toContain(page);
      expect(note).toMatch(/of \d+ characters \(\d+ bytes/);
      expect(server.lastBlocks.at(-1)?.elements).toHaveLength(2);
    }
  });

  it('what cannot be read anywhere can only be rejected', async () => {
    const card = cardOf({ text: 'x'.repeat(50_000) });
    await new SlackChannel(options()).send(card);
    expect(server.lastBlocks.at(-1)?.elements?.map(({ action_id: id }) => id)).toEqual(['hermes_reject']);
  });

  it('long arguments that fit are all there, in pieces that Slack takes', async () => {
    const args = JSON.stringify(Array.from({ length: 700 }, (_, i) => `line ${i}`));
    await new SlackChannel(options()).send(cardOf(args));
    const pieces = server.lastBlocks.flatMap(({ elements = [] }) =>
      elements.filter(({ type }) => type === 'rich_text_preformatted').flatMap(textsOf),
    );
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe(args);
  });

  it('markup in arguments, tool and title makes no link, mention, format or button', async () => {
    for (const text of HOSTILE) {
      await new SlackChannel(options()).send(cardOf({ text }, { tool: text, title: text, agent: text, user: text }));
      const message = server.callsOf('chat.postMessage').at(-1) ?? {};
      // What Slack reads markup in has none; all else is in elements that are taken as they are.
      expect(String(message.text)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
      expect(message).toMatchObject({ mrkdwn: false, parse: 'none', unfurl_links: false, link_names: false });
      const types = JSON.stringify(message.blocks).match(/"type":"[a-z_]+"/g) ?? [];
      expect(new Set(types)).toEqual(
        new Set(
          [
            'header',
            'plain_text',
            'rich_text',
            'rich_text_section',
            'rich_text_preformatted',
            'text',
            'actions',
            'button',
          ].map((type) => `"type":"${type}"`),
        ),
      );
      expect(server.lastBlocks.filter(({ type }) => type === 'actions')).toHaveLength(1);
      // Nothing that hides or turns text is left.
      expect(textsOf(message.blocks).join('')).not.toMatch(UNSEEN);
    }
  });

  it('remembered answers are buttons of their own', async () => {
    const { decisions, card, ts, click } = await asked({
      remember: { scopes: ['session', 'arguments'], maxMs: 7_200_000 },
    });
    expect(server.lastBlocks.at(-1)?.elements?.map(({ text }) => (text as { text: string }).text)).toEqual([
      'Approve once',
      'Approve for this session, 2 h',
      'Approve these arguments, 2 h',
      'Reject',
    ]);
    await click(formOf(clickPayload({ card, ts, value: choiceValue('approve-session', card) })));
    expect(decisions.decided[0]?.remember).toEqual({ scope: 'session', ms: 7_200_000 });
  });
});

describe('a click', () => {
  it('decides, for the person of its id', async () => {
    const { decisions, card, ts, click } = await asked({ approvers: ['slack:U0ADA'] });
    expect(await click(formOf(clickPayload({ card, ts })))).toMatchObject({ status: 200, body: '' });
    expect(decisions.decided).toMatchObject([
      {
        approvalId: card.approval.id,
        choice: 'approve',
        decider: { channel: 'slack', id: 'U0ADA' },
        source: { tenant: 'T01', chat: 'C0PAY', message: ts },
      },
    ]);
  });

  it('counts once, also when it is sent again', async () => {
    const { decisions, card, ts, click } = await asked();
    const body = formOf(clickPayload({ card, ts }));
    await click(body);
    await click(body);
    expect(decisions.decided).toHaveLength(1);
  });

  it('of nobody who may decide: nothing is decided, and only they read why', async () => {
    const { decisions, card, ts, click } = await asked({ approvers: ['slack:U0BOB'] });
    await click(formOf(clickPayload({ card, ts })));
    expect(decisions.decided).toEqual([]);
    await eventually(() => server.callsOf('chat.postEphemeral').length === 1);
    expect(server.callsOf('chat.postEphemeral')[0]).toMatchObject({
      channel: 'C0PAY',
      user: 'U0ADA',
      text: 'You may not decide this.',
    });
  });

  it('with a token, a request, a team, a person of another team, a channel or a message that is not its own decides nothing', async () => {
    const { decisions, card, ts, click } = await asked();
    const other = cardOf({});
    for (const wrong of [
      { value: `approve.${card.approval.id}.${other.token}.0` },
      { value: `approve.${other.approval.id}.${card.token}.0` },
      { value: `anything.${card.approval.id}.${card.token}.0` },
      { team: 'T99', userTeam: 'T99' },
      { userTeam: 'T99' },
      { channel: 'C0OTHER' },
      { ts: '1790000000.999999' },
      { extra: { team: null } },
      { extra: { channel: null, container: null } },
      { extra: { container: { message_ts: ts, channel_id: 'C0OTHER' } } },
      { extra: { message: null, container: null } },
      { extra: { user: { name: 'ada' } } },
      { extra: { api_app_id: 'A0OTHER' } },
      { extra: { type: 'view_submission' } },
      { extra: { actions: [] } },
    ]) {
      await click(formOf(clickPayload({ card, ts, ...wrong })));
      expect(decisions.decided, JSON.stringify(wrong)).toEqual([]);
    }
    await click(formOf(clickPayload({ card, ts })));
    expect(decisions.decided).toHaveLength(1);
  });

  it('with one byte changed, a time that is off, another secret or no signature is refused before it is read', async () => {
    const { decisions, card, ts, send } = await asked();
    const body = formOf(clickPayload({ card, ts }));
    const right = signedBySlack(body, SECRET, NOW);
    const bytes = Buffer.from(right.body);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    const without = (name: string) => ({ ...right, headers: { ...right.headers, [name]: undefined } });
    const twice = {
      ...right,
      headers: { ...right.headers, 'x-slack-signature': ['v0=1', String(right.headers['x-slack-signature'])] },
    };
    for (const [request, now] of [
      [{ ...right, body: bytes }, NOW],
      [right, NOW + 301_000],
      [right, NOW - 301_000],
      [signedBySlack(body, 'another', NOW), NOW],
      [signedBySlack(body, '', NOW), NOW],
      [without('x-slack-signature'), NOW],
      [without('x-slack-request-timestamp'), NOW],
      [twice, NOW],
    ] as const) {
      expect((await send(request, now)).status).toBe(401);
    }
    expect(decisions.decided).toEqual([]);
    expect((await send(right, NOW + 299_000)).status).toBe(200);
    expect(decisions.decided).toHaveLength(1);
  });

  it('ssl_check is answered, and brings no payload with it', async () => {
    const { decisions, card, ts, click, send } = await asked();
    const { status } = await send({ body: Buffer.from('ssl_check=1'), headers: {}, query: {} });
    expect(status).toBe(401);
    expect((await click('ssl_check=1')).status).toBe(200);
    const smuggled = `ssl_check=1&${formOf(clickPayload({ card, ts }))}&payload={}`;
    expect((await click(smuggled)).status).toBe(400);
    expect(decisions.decided).toEqual([]);
  });
});

describe('Slack that fails', () => {
  it('says what Slack said, and nothing of the token', async () => {
    const channel = new SlackChannel({ ...options(), token: 'xoxb-secret' });
    await expect(channel.send(cardOf({}))).rejects.toMatchObject({
      code: 'HO_POLICY_CHANNEL',
      message: 'slack: auth.test answered invalid_auth.',
    });
    server.next.push({ status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: {} });
    await expect(new SlackChannel(options()).send(cardOf({}))).rejects.toMatchObject({ code: 'HO_POLICY_CHANNEL' });
  });

  it('is asked again once where it says that it is too fast', async () => {
    server.next.push({ status: 429, headers: { 'retry-after': '0' }, body: { ok: false, error: 'ratelimited' } });
    await expect(new SlackChannel(options()).send(cardOf({}))).resolves.toMatchObject({ tenant: 'T01', chat: 'C0PAY' });
  });

  it('without a key, a name for a conversation or an address that is not safe it does not start', () => {
    for (const wrong of [
      { token: '' },
      { signingSecret: '' },
      { channel: '#payments' },
      { baseUrl: 'http://slack.example/api' },
      { baseUrl: 'https://user@slack.example/api' },
      { name: 'Slack:1' },
    ]) {
      expect(() => new SlackChannel({ ...options(), ...wrong })).toThrow(
        expect.objectContaining({ code: 'HO_POLICY_CONFIG' }),
      );
    }
  });
});

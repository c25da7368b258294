import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { CallbackServer } from './callback-server.js';
import { cardOf, MemoryDecisions } from './scene.test-support.js';
import { StandardWebhook } from './webhook/standard-webhook.js';
import { WebhookChannel } from './webhook/webhook-channel.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function open() {
  const channel = new WebhookChannel({ url: 'http://127.0.0.1:9/', secret: SECRET });
  channel.send = async () => ({ tenant: '', chat: '', message: 'msg_1' });
  const decisions = new MemoryDecisions();
  const card = cardOf({});
  await decisions.show(channel, card);
  const server = await CallbackServer.open({ channels: [channel], decisions });
  ends.push(() => server.close());
  const data = {
    approval_id: card.approval.id,
    token: card.token,
    choice: 'approve',
    approver: 'ada',
    message_id: 'msg_1',
  };
  const body = JSON.stringify({ type: 'approval.answer', data });
  const headers = new StandardWebhook('test', [SECRET]).sign('msg_a', body, Date.now());
  return { server, decisions, body, headers, url: server.urlOf('webhook') };
}

it('takes a signed answer, on this machine alone', async () => {
  const { decisions, body, headers, url } = await open();
  expect(new URL(url).hostname).toBe('127.0.0.1');
  const response = await fetch(url, { method: 'POST', body, headers });
  expect([response.status, response.headers.get('cache-control'), await response.json()]).toEqual([
    200,
    'no-store',
    { ok: true, text: 'approved.', state: 'approved' },
  ]);
  expect(decisions.decided).toHaveLength(1);
});

it('counts what it does not let through, by reason', async () => {
  const { server, decisions, body, headers, url } = await open();
  const statuses = [
    await fetch(url),
    await fetch(`${url}2`, { method: 'POST', body, headers }),
    await fetch(url, { method: 'POST', body: `${body} `, headers }),
    await fetch(url, { method: 'POST', body: 'x'.repeat(1_100_000), headers }),
    await fetch(url, {
      method: 'POST',
      body: new Blob(['x'.repeat(1_100_000)]).stream(),
      headers,
      duplex: 'half',
    } as RequestInit),
  ].map(({ status }) => status);
  expect(statuses).toEqual([405, 404, 401, 413, 413]);
  expect(server.refused).toEqual({ 'the signature is missing or wrong': 1, 'the body is too large': 2 });
  expect(decisions.decided).toEqual([]);
});

it('takes no header twice', async () => {
  const { decisions, body, headers, url } = await open();
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const answer = await raw(url, [...lines, `webhook-id: ${headers['webhook-id']}`], body);
  expect(answer).toMatch(/^HTTP\/1\.1 401/);
  expect(await raw(url, lines, body)).toMatch(/^HTTP\/1\.1 200/);
  expect(decisions.decided).toHaveLength(1);
});

it('says when it cannot listen', async () => {
  const { server } = await open();
  const port = Number(new URL(server.urlOf('x')).port);
  const opened = CallbackServer.open({ channels: [], decisions: new MemoryDecisions(), port });
  await expect(opened).rejects.toMatchObject({ code: 'HO_LISTEN_FAILED' });
});

/** By hand, since clients join headers of one name. */
function raw(url: string, lines: readonly string[], body: string): Promise<string> {
  const { hostname, port, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text)).on('error', reject);
    const head = [
      `POST ${pathname} HTTP/1.1`,
      'host: x',
      'connection: close',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    socket.write(`${[...head, ...lines].join('\r\n')}\r\n\r\n${body}`);
  });
}

import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BaseChannel } from './base-channel.js';
import { handleCallback } from './callbacks.js';
import { callback, cardOf, MemoryDecisions } from './scene.test-support.js';
import { StandardWebhook } from './webhook/standard-webhook.js';
import { WebhookChannel } from './webhook/webhook-channel.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const NOW = 1_790_000_000_000;

afterEach(() => void vi.restoreAllMocks());

async function scene() {
  const channel = new WebhookChannel({ url: 'http://127.0.0.1:9/', secret: SECRET });
  channel.send = async () => ({ tenant: '', chat: '', message: 'msg_1' });
  const decisions = new MemoryDecisions();
  const card = cardOf({});
  await decisions.show(channel, card);
  const data = {
    approval_id: card.approval.id,
    token: card.token,
    choice: 'approve',
    approver: 'ada',
    message_id: 'msg_1',
  };
  const body = JSON.stringify({ type: 'approval.answer', data });
  const request = callback(body, new StandardWebhook('test', [SECRET]).sign('msg_a', body, NOW));
  return { channel, decisions, card, request };
}

describe('a callback', () => {
  it('for a channel that is not known, or takes none, is not found', async () => {
    const { channel, decisions, request } = await scene();
    const mute: BaseChannel = { name: 'mute', send: channel.send, update: async () => undefined };
    for (const name of ['other', 'mute', '', '__proto__']) {
      expect((await handleCallback([channel, mute], decisions, name, request, NOW)).status).toBe(404);
    }
    expect(decisions.decided).toEqual([]);
  });

  it('over a mebibyte is not looked at', async () => {
    const { channel, decisions } = await scene();
    channel.verify = () => {
      throw new Error('it was looked at');
    };
    const large = callback(Buffer.alloc(1024 * 1024 + 1));
    expect((await handleCallback([channel], decisions, 'webhook', large, NOW)).status).toBe(413);
  });

  it('is refused when its check throws, and when what it says cannot be read', async () => {
    const { channel, decisions, request } = await scene();
    const parse = channel.parse.bind(channel);
    channel.parse = () => {
      throw new Error('parse was called');
    };
    channel.verify = () => {
      throw new Error('boom');
    };
    const whys: string[] = [];
    const options = { onRefused: (_: string, why: string) => whys.push(why) };
    expect((await handleCallback([channel], decisions, 'webhook', request, NOW, options)).status).toBe(401);
    channel.verify = () => ({ ok: 'yes' }) as never;
    expect((await handleCallback([channel], decisions, 'webhook', request, NOW, options)).status).toBe(401);
    channel.verify = () => ({ ok: true });
    expect((await handleCallback([channel], decisions, 'webhook', request, NOW, options)).status).toBe(400);
    expect(whys).toEqual([
      'it could not be verified',
      'it could not be verified',
      'it is verified, and cannot be read',
    ]);
    channel.parse = parse;
    expect(decisions.decided).toEqual([]);
  });

  it('is answered within its time, also while the decision waits for a slow store', async () => {
    const { channel, decisions, request } = await scene();
    let release = () => {};
    decisions.hold = new Promise((resolve) => {
      release = resolve;
    });
    const began = performance.now();
    const reply = await handleCallback([channel], decisions, 'webhook', request, NOW, { answerMs: 100 });
    expect(performance.now() - began).toBeLessThan(1000);
    expect(JSON.parse(reply.body)).toMatchObject({ ok: false, text: expect.stringContaining('Still being decided') });
    release();
    await vi.waitFor(() => expect(decisions.decided).toHaveLength(1));
  });

  it('does not wait for telling a person, which may fail', async () => {
    const { channel, decisions, request } = await scene();
    let told = 0;
    const telling: BaseChannel = Object.assign(channel, {
      tell: () => {
        told++;
        return told === 1 ? new Promise<void>(() => undefined) : Promise.reject(new Error('no'));
      },
    });
    expect((await handleCallback([telling], decisions, 'webhook', request, NOW)).status).toBe(200);
    expect(told).toBe(1);
  });

  it('that was decided is answered so, also when telling or counting throws', async () => {
    const { channel, decisions, request } = await scene();
    const throwing = () => {
      throw new Error('boom');
    };
    const telling: BaseChannel = Object.assign(channel, { tell: throwing });
    const options = { onRefused: throwing };
    const unsigned = { ...request, headers: {} };
    expect((await handleCallback([telling], decisions, 'webhook', unsigned, NOW, options)).status).toBe(401);
    expect((await handleCallback([telling], decisions, 'webhook', request, NOW, options)).status).toBe(200);
    expect(decisions.decided).toHaveLength(1);
  });

  it('says that nothing was decided when the store fails', async () => {
    const { channel, decisions, request } = await scene();
    decisions.fault = new Error('the disk is full');
    const reply = await handleCallback([channel], decisions, 'webhook', request, NOW);
    expect([reply.status, reply.body]).toEqual([500, 'not decided']);
  });

  it('that was decided stays decided when a channel cannot reply', async () => {
    const { channel, decisions, request } = await scene();
    channel.reply = () => {
      throw new Error('boom');
    };
    expect((await handleCallback([channel], decisions, 'webhook', request, NOW)).status).toBe(200);
    expect(decisions.decided).toHaveLength(1);
  });

  it('tells operators why it was refused, and nothing of what was in it', async () => {
    const { channel, decisions, card, request } = await scene();
    const output = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write'), vi.spyOn(console, 'log')];
    const told: string[] = [];
    const onRefused = (name: string, why: string) => told.push(`${name}: ${why}`);
    await handleCallback([channel], decisions, 'webhook', { ...request, headers: {} }, NOW, { onRefused });
    const answer = await handleCallback([channel], decisions, 'webhook', request, NOW + 400_000, { onRefused });
    expect(told).toEqual([
      'webhook: webhook-id is missing or malformed',
      'webhook: the timestamp is older than five minutes',
    ]);
    expect(answer.body).toBe('not verified');
    for (const spy of output) expect(JSON.stringify(spy.mock.calls)).not.toContain(card.token);
  });
});

it('no file of the channels writes to a log', () => {
  const folder = new URL('.', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!test|test-support)\.ts$/.test(file),
  );
  expect(files.length).toBeGreaterThan(20);
  for (const file of files)
    expect(readFileSync(new URL(file, folder), 'utf8'), file).not.toMatch(/console\.|process\.std(out|err)/);
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { handleCallback } from '../callbacks.js';
import { callback, cardOf, HOSTILE, MemoryDecisions, UNSEEN } from '../scene.test-support.js';
import { PAGE_POLICY } from './html.js';
import { WebChannel } from './web-channel.js';

let server: Server;
let origin: string;
let channel: WebChannel;
let decisions: MemoryDecisions;
let links: string[];

/** A host, as the service is one: it serves the pages to whoever it lets in. */
beforeEach(async () => {
  decisions = new MemoryDecisions();
  links = [];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const url = new URL(request.url ?? '', origin);
    const headers = request.headers as Record<string, string>;
    const { method = '' } = request;
    const query = Object.fromEntries(url.searchParams);
    const asked = { method, path: url.pathname, headers, query, body: Buffer.concat(chunks) };
    const reply = await channel.respond(asked, decisions, 'ada', Date.now());
    response.writeHead(reply.status, { ...reply.headers }).end(reply.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  channel = new WebChannel({ url: `${origin}/approvals`, deliver: (link) => void links.push(link) });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const get = async (path: string) => {
  const response = await fetch(origin + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const post = (path: string, form: Record<string, string> | string, headers: Record<string, string> = {}) =>
  fetch(origin + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
  });

describe('pages', () => {
  it('list what waits, and show all of one request with its digest', async () => {
    const card = cardOf({});
    const args = JSON.stringify({ text: 'x'.repeat(100_000), to: 'ACME' });
    const whole = { ...card, approval: { ...card.approval, args } };
    await decisions.show(channel, whole);
    const list = await get('/approvals');
    expect(list.text).toContain(`/approvals/${card.approval.id}`);
    const page = await get(`/approvals/${card.approval.id}`);
    expect(page.text).toContain('x'.repeat(100_000));
    expect(page.text).toContain(card.approval.digest);
    // What is decided about comes before ids, which are folded.
    expect(page.text.indexOf('<pre>')).toBeLessThan(page.text.indexOf('<details>'));
    expect(page.text.indexOf('<details>')).toBeLessThan(page.text.indexOf(card.approval.digest));
    expect(page.text).toContain('<a href="/">');
    expect(channel.linkOf(card.approval.id)).toBe(`${origin}/approvals/${card.approval.id}`);
  });

  it('have no script, no frame, and nothing from elsewhere', async () => {
    const { headers, text } = await get('/approvals');
    expect(headers.get('content-security-policy')).toBe(PAGE_POLICY);
    expect(PAGE_POLICY).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).not.toMatch(/<script|style=|\son\w+=/);
  });

  it('show markup in arguments, tool, title and codes as text', async () => {
    for (const text of HOSTILE) {
      const card = cardOf({}, { tool: text, title: text, agent: text, user: text, args: JSON.stringify({ text }) });
      await decisions.show(channel, card);
      for (const path of [
        '/approvals',
        `/approvals/${card.approval.id}?code=${encodeURIComponent(text.replace(/\p{Cs}/gu, ''))}`,
      ]) {
        const page = await get(path);
        const tags = new Set([...page.text.matchAll(/<\/?([a-z0-9!]+)/gi)].map(([, tag]) => tag));
        for (const tag of tags) {
          expect([
            '!doctype',
            'html',
            'head',
            'meta',
            'title',
            'style',
            'body',
            'main',
            'h1',
            'h2',
            'ul',
            'li',
            'a',
            'p',
            'dl',
            'dt',
            'dd',
            'pre',
            'form',
            'label',
            'input',
            'button',
            'header',
            'span',
            'details',
            'summary',
          ]).toContain(tag);
        }
        expect(page.text.replace(/<input[^>]*>/, '')).not.toMatch(UNSEEN);
        // A quote of theirs would end an attribute.
        expect(page.text).not.toContain('&#39;"');
        expect(page.text.match(/href="[^"]*"/g)?.every((href) => /^href="\/(?:approvals|")/.test(href))).toBe(true);
      }
    }
  });

  it('that are not there are not found, and cannot be deleted', async () => {
    expect((await get('/approvals/none')).status).toBe(404);
    expect((await get('/other')).status).toBe(404);
    expect((await get('/approvals/../x%2F')).status).toBe(404);
    expect((await fetch(`${origin}/approvals`, { method: 'DELETE' })).status).toBe(405);
  });
});

describe('deciding on a page', () => {
  it('takes the code of the request, which the page alone does not have', async () => {
    const card = cardOf({}, { approvers: ['web:ada'] });
    const { id } = card.approval;
    await decisions.show(channel, card);
    expect((await get(`/approvals/${id}`)).text).not.toContain(card.token);
    expect(links).toEqual([`${origin}/approvals/${id}?code=${card.token}`]);
    // Opening the link decides nothing.
    const page = await get(links[0]?.slice(origin.length) ?? '');
    expect(page.text).toContain(`value="${card.token}"`);
    expect(decisions.decided).toEqual([]);
    const response = await post(`/approvals/${id}`, { token: card.token, choice: 'approve' });
    expect([response.status, response.headers.get('location')]).toEqual([303, `/approvals/${id}`]);
    expect(decisions.decided).toMatchObject([{ choice: 'approve', decider: { channel: 'web', id: 'ada' } }]);
    expect((await get(`/approvals/${id}`)).text).not.toContain('<form');
  });

  it('with another code, of another origin, site or type, or twice in one form, is refused', async () => {
    const card = cardOf({});
    const other = cardOf({});
    await decisions.show(channel, card);
    await decisions.show(channel, other);
    const path = `/approvals/${card.approval.id}`;
    const form = { token: card.token, choice: 'approve' };
    const statuses = [
      await post(path, { ...form, token: other.token }),
      await post(`/approvals/${other.approval.id}`, form),
      await post(path, form, { origin: 'https://evil.example' }),
      await post(path, form, { origin: 'null' }),
      await post(path, form, { origin: '' }),
      await post(path, form, { 'sec-fetch-site': 'cross-site' }),
      await post(path, form, { 'sec-fetch-site': 'same-site' }),
      await post(path, form, { 'content-type': 'text/plain' }),
      await post(path, { choice: 'approve' }),
      await post(path, { token: card.token }),
      await post(path, { token: card.token, choice: 'Approve' }),
      await post(path, `token=${card.token}&choice=reject&choice=approve`),
      await post(path, `token=x&token=${card.token}&choice=approve`),
      await post(path, { ...form, more: 'x'.repeat(5000) }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([409, 409, 403, 403, 403, 403, 403, 403, 400, 400, 400, 400, 400, 403]);
    expect(decisions.decided).toEqual([]);
    expect((await post(path, form)).status).toBe(303);
    expect((await post(path, form)).status).toBe(409);
    expect(decisions.decided).toHaveLength(1);
  });

  it('with codes on pages: on pages of requests that wait, and gone with them', async () => {
    channel = new WebChannel({ url: `${origin}/approvals`, deliver: 'page' });
    expect(channel.forgets).toBe(true);
    const card = cardOf({});
    const ref = await decisions.show(channel, card);
    const path = `/approvals/${card.approval.id}`;
    expect((await get(path)).text).toContain(card.token);
    await post(path, { token: card.token, choice: 'reject' });
    await channel.update({ channel: 'web', ...ref }, { ...card.approval, state: 'rejected' });
    expect((await get(path)).text).not.toContain(card.token);
  });

  it('reaches nobody when the code cannot be delivered, and never starts without a way', async () => {
    channel = new WebChannel({ url: `${origin}/approvals`, deliver: () => Promise.reject(new Error('no printer')) });
    await expect(channel.send(cardOf({}))).rejects.toThrow('no printer');
    expect(() => new WebChannel({ url: origin, deliver: undefined as never })).toThrow(
      expect.objectContaining({ code: 'HO_POLICY_CONFIG' }),
    );
  });

  it('cannot be had as a callback, past the host', async () => {
    const card = cardOf({});
    await decisions.show(channel, card);
    const form = new URLSearchParams({ token: card.token, choice: 'approve' }).toString();
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await handleCallback([channel], decisions, 'web', callback(form, headers), Date.now())).status).toBe(404);
  });
});

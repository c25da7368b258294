import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CallbackReply, WebChannel, type WebRequest } from '@hermes-observer/policy';
import { afterEach, describe, expect, it } from 'vitest';
import { HOSTILE } from '../../../packages/policy/src/channels/scene.test-support.js';
import { skipWith } from '../../skip-with.js';
// @ts-expect-error: a script without types
import { openBrowser } from '../../viewer/chromium.mjs';
import { atEnd, endAll, openScene } from './scene.js';

afterEach(endAll);

const portOf = (server: ReturnType<typeof createServer>) =>
  new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
  });

describe('pages in a real browser', () => {
  it('show all of a request, run nothing of it, and decide with its code, from their own origin alone', async (context) => {
    const browser = await openBrowser();
    if (browser === undefined) skipWith(context, 'there is no Chromium');
    atEnd(() => browser.close());
    const links: string[] = [];
    let answer = async (_: WebRequest): Promise<CallbackReply> => ({ status: 404, body: '' });
    const host = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const url = new URL(request.url ?? '', 'http://x');
      const { method = '' } = request;
      const headers = request.headers as Record<string, string>;
      const query = Object.fromEntries(url.searchParams);
      const reply = await answer({ method, path: url.pathname, headers, query, body: Buffer.concat(chunks) });
      response.writeHead(reply.status, { ...reply.headers }).end(reply.body);
    });
    const origin = `http://127.0.0.1:${await portOf(host)}`;
    const channel = new WebChannel({ url: `${origin}/approvals`, deliver: (link) => void links.push(link) });
    const scene = await openScene(channel);
    answer = (request) => channel.respond(request, scene.approvals, 'ada', Date.now());
    const text = HOSTILE.join('\n').replace(/\p{Cs}/gu, '');
    const approval = await scene.ask({ text, amount: 5000 }, { tool: HOSTILE[5] ?? '', approvers: ['web:ada'] });

    const page = await (await browser.newContext()).newPage();
    const faults: string[] = [];
    const asked: string[] = [];
    page.on('dialog', (dialog: { message(): string; dismiss(): void }) => {
      faults.push(`dialog ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on('console', (message: { type(): string; text(): string }) => void faults.push(message.text()));
    page.on('pageerror', (error: Error) => void faults.push(error.message));
    page.on('request', (request: { url(): string }) => void asked.push(request.url()));

    await page.goto(`${origin}/approvals`);
    await page.click('main li a');
    const shown = await page.textContent('pre');
    expect(JSON.parse(shown)).toEqual({ amount: 5000, text });
    expect(await page.textContent('main')).toContain(approval.digest);
    // The page alone has no code.
    expect(await page.inputValue('input[name=token]')).toBe('');
    await page.fill('input[name=token]', 'guessed');
    await page.click('button[value=approve]');
    expect(await page.textContent('[role=status]')).toContain('does not belong to this request');
    expect(await scene.stateOf(approval)).toBe('pending');

    // A page of another origin has the code, and posts it from the person's browser.
    const evil = createServer((_, response) => {
      const code = new URL(links[0] ?? '').searchParams.get('code');
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(
          `<form method="post" action="${origin}/approvals/${approval.id}"><input name="token" value="${code}"><button name="choice" value="approve">x</button></form>`,
        );
    });
    await page.goto(`http://127.0.0.1:${await portOf(evil)}/`);
    await page.click('button');
    expect(await page.textContent('main')).toContain('from these pages alone');
    expect(await scene.stateOf(approval)).toBe('pending');

    faults.length = 0;
    await page.goto(links[0] ?? '');
    await page.click('button[value=approve]');
    expect(page.url()).toBe(`${origin}/approvals/${approval.id}`);
    expect(await page.textContent('main')).toContain('Approved by web:ada.');
    expect(await page.locator('form').count()).toBe(0);
    expect(await scene.stateOf(approval)).toBe('approved');
    const usesStyle = await page.evaluate("getComputedStyle(document.querySelector('pre')).whiteSpace");
    expect(usesStyle).toMatch(/^pre-wrap/);
    expect(faults.filter((fault) => !fault.includes('favicon'))).toEqual([]);
    expect(asked.filter((url) => !url.startsWith('http://127.0.0.1'))).toEqual([]);
  });
});

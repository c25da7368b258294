import { describe, expect, it } from 'vitest';
import { CONTENT_SECURITY_POLICY } from './page-headers.js';
import { BEARER, open, request, TOKEN } from './viewer.test-support.js';

describe('who may look', () => {
  it('shows the token once, gets a cookie that is not the token, and an address without it', async () => {
    const { get, login } = await open();
    const { status, headers } = await get(`/?token=${TOKEN}`);
    expect([status, headers.location]).toEqual([303, '/']);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^hermes_observer=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/),
    ]);
    expect(JSON.stringify(headers)).not.toContain(TOKEN);
    const cookie = await login();
    for (const path of [
      '/',
      '/turn/abc',
      '/turn/abc/def',
      '/health',
      '/assets/main-3fA9_x2b.js',
      '/api/turns',
      '/api/health',
    ]) {
      const answer = await get(path, cookie);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.body.toString()).not.toContain(TOKEN);
      expect((await get(path, BEARER)).status).toBe(200);
    }
  });

  it('is nobody without one, and a person is told what to do', async () => {
    const { get, send } = await open();
    const wrong = [
      {},
      { cookie: 'hermes_observer=guess' },
      { cookie: `hermes_observer=${TOKEN}` },
      { authorization: 'Bearer wrong' },
    ] as Record<string, string>[];
    for (const headers of wrong) {
      for (const path of [
        '/',
        '/?token=wrong',
        '/turn/x',
        '/assets/main-3fA9_x2b.js',
        '/assets/nothing.js',
        '/api/turns',
        '/api/live',
        '/api/nothing',
        `/api/turns?token=${TOKEN}`,
      ]) {
        expect([path, (await get(path, headers)).status]).toEqual([path, 401]);
      }
      expect((await send('DELETE', '/api/sessions/s', headers)).status).toBe(401);
      expect((await send('POST', '/v1/traces', { 'content-type': 'application/json', ...headers }, '{}')).status).toBe(
        401,
      );
    }
    const page = await get('/', { accept: 'text/html' });
    expect([page.status, page.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
    expect(page.body.toString()).toContain('<code>hermes-observer view</code>');
    expect(page.body.toString()).not.toMatch(/<script|<style|style=|onload/);
    // By any address, where a browser asks; programs get JSON.
    for (const path of ['/assets/nothing.js', '/api/turns', '/turn/x']) {
      const { status, headers } = await get(path, { accept: 'text/html,*/*' });
      expect([status, headers['content-type']]).toEqual([401, 'text/html; charset=utf-8']);
      expect((await get(path, { accept: '*/*' })).headers['content-type']).toMatch(/^application\/json/);
    }
  });

  it('may read with the cookie, delete with it from its own page alone, and write with the token alone', async () => {
    const { send, login, listener, store, post } = await open();
    const cookie = await login();
    await post(request(1));
    const origin = new URL(listener.url).origin;
    expect((await send('DELETE', '/api/sessions/session%201', cookie)).status).toBe(401);
    expect(
      (await send('DELETE', '/api/sessions/session%201', { ...cookie, origin: 'http://evil.example' })).status,
    ).toBe(403);
    expect(
      (await send('DELETE', '/api/sessions/session%201', { ...cookie, origin, 'sec-fetch-site': 'same-site' })).status,
    ).toBe(401);
    expect(store.traces).toBe(1);
    expect(
      (
        await send(
          'POST',
          '/v1/traces',
          { ...cookie, origin, 'content-type': 'application/json' },
          JSON.stringify(request(2)),
        )
      ).status,
    ).toBe(401);
    expect((await send('POST', '/v1/records', { ...cookie, origin })).status).toBe(401);
    const gone = await send('DELETE', '/api/sessions/session%201', {
      ...cookie,
      origin,
      'sec-fetch-site': 'same-origin',
    });
    expect([gone.status, gone.json(), store.traces]).toEqual([200, { turns: 1 }, 0]);
  });

  it('is no page of another site, whatever name it gives this machine', async () => {
    const { get, login } = await open();
    const cookie = await login();
    for (const host of ['evil.example', '127.0.0.1.evil.example', 'localhost@evil.example']) {
      expect((await get('/api/turns', { ...cookie, host })).status).toBe(403);
      expect((await get(`/?token=${TOKEN}`, { host })).headers['set-cookie']).toBeUndefined();
    }
    expect((await get('/api/turns', { ...cookie, origin: 'http://localhost:1' })).status).toBe(403);
    expect((await get('/api/turns', { ...cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(401);
    const { headers } = await get('/api/turns', cookie);
    expect([headers['access-control-allow-origin'], headers['cross-origin-resource-policy']]).toEqual([
      undefined,
      'same-origin',
    ]);
  });

  it('gets the policy on every answer, whatever it is', async () => {
    const { get, send, login, post } = await open();
    const cookie = await login();
    const answers = [
      await get('/'),
      await get('/', cookie),
      await get('/', { accept: 'text/html' }),
      await get(`/?token=${TOKEN}`),
      await get('/api/turns', cookie),
      await get('/api/turns/none', cookie),
      await get('/api/nothing', cookie),
      await get('/nowhere', cookie),
      await get('/assets/main-3fA9_x2b.js', cookie),
      await get('/healthz'),
      await get('/api/turns', { host: 'evil.example' }),
      await send('PUT', '/', cookie),
      await send('POST', '/api/turns', cookie),
      await post(request(1)),
      await post('nonsense'),
      await get('/v1/status', BEARER),
    ];
    for (const { headers } of answers) {
      expect(headers['content-security-policy']).toBe(CONTENT_SECURITY_POLICY);
      expect([headers['x-content-type-options'], headers['referrer-policy']]).toEqual(['nosniff', 'no-referrer']);
    }
    expect(CONTENT_SECURITY_POLICY).not.toContain('unsafe');
    expect((await get('/api/turns', cookie)).headers['cache-control']).toBe('no-store');
    expect((await get('/assets/main-3fA9_x2b.js', cookie)).headers['cache-control']).toContain('immutable');
    expect((await get('/', cookie)).headers['cache-control']).toBe('no-store');
  });

  it('gets no file that is not of the page', async () => {
    const { get } = await open();
    for (const path of [
      '/../secret.txt',
      '/assets/../../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/assets/..%5c..%5csecret.txt',
      '//secret.txt',
      '/assets/%2e%2e/%2e%2e/secret.txt',
      '/assets/main-3fA9_x2b.js%00.txt',
      '/assets/',
      '/assets',
      '/index.html/',
      '/etc/passwd',
      '/turn/../../secret.txt/x/y',
    ]) {
      const { status, body } = await get(path, BEARER);
      expect([path, status]).toEqual([path, 404]);
      expect(body.toString()).not.toContain('not for you');
    }
  });

  it('may use no other method', async () => {
    const { send } = await open();
    for (const [method, path] of [
      ['PUT', '/'],
      ['POST', '/'],
      ['DELETE', '/'],
      ['POST', '/api/turns'],
      ['DELETE', '/api/turns/x'],
      ['GET', '/api/sessions/x'],
      ['GET', '/v1/traces'],
      ['OPTIONS', '/v1/traces'],
      ['TRACE', '/api/health'],
      ['POST', '/assets/main-3fA9_x2b.js'],
    ] as const) {
      const { status, headers } = await send(method, path, BEARER);
      expect([method, path, status]).toEqual([method, path, 405]);
      expect(headers.allow).toMatch(/GET|POST|DELETE/);
    }
  });
});

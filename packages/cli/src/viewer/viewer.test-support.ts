import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { HttpListener } from '../listeners/http/http-listener.js';
import { MemoryService } from '../listeners/memory-service.test-support.js';
import { Receiver } from '../receiver/receive-route.js';
import { TraceStore } from '../traces/trace-store.js';
import { Api } from './api.js';
import { StaticFiles } from './static-files.js';
import { ViewerRoutes } from './viewer-routes.js';

export const TOKEN = 'a-token-of-the-test';
export const BEARER = { authorization: `Bearer ${TOKEN}` };
export const folder = mkdtempSync(join(tmpdir(), 'viewer-'));
mkdirSync(join(folder, 'page/assets'), { recursive: true });
writeFileSync(join(folder, 'page/index.html'), '<!doctype html><title>page</title>');
writeFileSync(join(folder, 'page/assets/main-3fA9_x2b.js'), 'export {};');
writeFileSync(join(folder, 'secret.txt'), 'not for you');
afterAll(() => rmSync(folder, { recursive: true }));

export const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly json: () => never;
}

/** A listener with the viewer's routes, and requests to it by hand. */
export async function open({ waitingBytes = 2 ** 28 } = {}) {
  const service = new MemoryService({ waitingBytes });
  const store = new TraceStore();
  const api = new Api({
    store,
    health: () => ({ version: 'x' }),
  });
  const routes = new ViewerRoutes({
    store,
    api,
    files: new StaticFiles(join(folder, 'page')),
    receiver: new Receiver(store, service.context),
  });
  const listener = await HttpListener.open(
    { host: '127.0.0.1', port: 0, token: TOKEN, allowedHosts: [], webhooks: undefined, further: routes },
    service.context,
  );
  ends.push(() => {
    listener.stop();
    listener.closeConnections();
  });
  const send = (method: string, path: string, headers: Record<string, string> = {}, body: string | Buffer = '') =>
    new Promise<Reply>((resolve, reject) => {
      const { port } = new URL(listener.url);
      // By hand: `fetch` would tidy the path up.
      const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        const whole = Buffer.concat(chunks);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: whole,
          json: () => JSON.parse(whole.toString()) as never,
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  const get = (path: string, headers: Record<string, string> = {}) => send('GET', path, headers);
  const login = async () => {
    const { headers } = await get(`/?token=${TOKEN}`);
    return { cookie: (headers['set-cookie']?.[0] ?? '').split(';')[0] as string };
  };
  const post = (value: unknown, headers = {}) =>
    send(
      'POST',
      '/v1/traces',
      { ...BEARER, 'content-type': 'application/json', ...headers },
      typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value),
    );
  return { service, store, listener, send, get, login, post };
}

export const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
export const request = (id: number, more = {}) => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'other')] },
      scopeSpans: [
        {
          spans: [
            {
              traceId: id.toString(16).padStart(32, '0'),
              spanId: id.toString(16).padStart(16, '0'),
              name: `span ${id}`,
              startTimeUnixNano: `${1_800_000_000 + id}000000000`,
              endTimeUnixNano: `${1_800_000_100 + id}000000000`,
              attributes: [attribute('gen_ai.conversation.id', `session ${id}`)],
              ...more,
            },
          ],
        },
      ],
    },
  ],
});
export const traceOf = (id: number) => id.toString(16).padStart(32, '0');

import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { eventually, line, MemoryService } from '../memory-service.test-support.js';
import { HttpListener } from './http-listener.js';

const TOKEN = 'a-token-of-the-test';
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function open() {
  const service = new MemoryService();
  const options = { host: '127.0.0.1', port: 0, token: TOKEN, allowedHosts: [], webhooks: undefined };
  const listener = await HttpListener.open(options, service.context);
  ends.push(() => {
    listener.stop();
    listener.closeConnections();
  });
  const port = Number(new URL(listener.url).port);
  /** Bytes as they stand, and all that is answered until the connection is closed. */
  const raw = (text: string) =>
    new Promise<string>((resolve) => {
      let told = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      socket.setEncoding('utf8').on('data', (part) => {
        told += part;
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve(told));
    });
  return { service, raw };
}

const HOST = 'Host: localhost\r\n';
const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const CLOSE = 'Connection: close\r\n\r\n';

it.each([
  ['two hosts', `${HOST}Host: evil.example\r\n${AUTH}`],
  ['two hosts in other letters', `HOST: localhost\r\nhost: localhost\r\n${AUTH}`],
  ['two tokens', `${HOST}${AUTH}${AUTH}`],
  ['two origins', `${HOST}${AUTH}Origin: http://localhost\r\nOrigin: http://evil.example\r\n`],
])('refuses %s with 400, on every path', async (_, headers) => {
  const { raw, service } = await open();
  for (const path of ['/v1/status', '/healthz', '/hooks/hermes']) {
    expect(await raw(`GET ${path} HTTP/1.1\r\n${headers}${CLOSE}`)).toMatch(/^HTTP\/1.1 400 [\s\S]*more than one/);
  }
  expect(service.context.counts.counts().find(({ name }) => name === 'refused_requests')?.value).toBe(3);
  expect(await raw(`GET /v1/status HTTP/1.1\r\n${HOST}${AUTH}${CLOSE}`)).toMatch(/^HTTP\/1.1 200 /);
});

it.each([
  ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'],
  ['two lengths', 'Content-Length: 0\r\nContent-Length: 4\r\n'],
  ['chunks that are not last', 'Transfer-Encoding: chunked, identity\r\n'],
])('refuses %s', async (_, headers) => {
  const { raw, service } = await open();
  const text = line(1);
  const body = `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  expect(await raw(`POST /v1/records HTTP/1.1\r\n${HOST}${AUTH}${headers}\r\n${body}`)).toMatch(/^HTTP\/1.1 400 /);
  expect(service.lines).toEqual([]);
});

it('closes a connection that asks on without waiting for answers', async () => {
  const { raw, service } = await open();
  const request = `GET /healthz HTTP/1.1\r\n${HOST}\r\n`;
  const told = await raw(request.repeat(2_000));
  expect(told.split('HTTP/1.1 200').length).toBeLessThan(50);
  await eventually(() => service.context.counts.counts().some(({ labels }) => labels?.reason === 'pipelined'));
});

it('hands a large body over in parts, and acknowledges all of it', async () => {
  const { raw, service } = await open();
  let sizes = 0;
  const take = service.take.bind(service);
  service.take = async (batch) => {
    sizes++;
    return await take(batch);
  };
  const lines = Array.from({ length: 3_000 }, (_, i) => line(i + 1, { text: 'é'.repeat(400) }));
  const body = Buffer.from(lines.join(''));
  const head = `POST /v1/records HTTP/1.1\r\n${HOST}${AUTH}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
  expect(await raw(head + body.toString())).toContain(
    '{"acks":[{"producer":"p","seq":3000}],"records":3000,"errors":[]}',
  );
  expect(service.lines).toEqual(lines.map((text) => text.trimEnd()));
  expect(sizes).toBeGreaterThan(1);
  expect(service.context.waiting.held).toBe(0);
});

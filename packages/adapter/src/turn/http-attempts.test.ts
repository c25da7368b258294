import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createObserver } from '@hermes-observer/otel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Guard } from '../guard.js';
import { followHttpAttempts } from './http-attempts.js';
import type { AdapterRequest } from './request.js';
import { scopesOf } from './scope.js';
import { AdapterTurn } from './turn.js';

const guard = new Guard('test', () => {});
const observer = createObserver({ exporters: [], env: {}, onWarning: () => {} });
const scopes = scopesOf(observer, guard);

let server: Server;
let listener: RequestListener;
let url: string;
let hooks: [string, Readonly<Record<string, unknown>>][];
let turn: AdapterTurn;
let request: AdapterRequest;
let end: () => void;

beforeEach(async () => {
  server = createServer((incoming, response) => {
    incoming.resume();
    listener(incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  hooks = [];
  turn = new AdapterTurn(observer, guard, {});
  request = turn.request({ model: 'm' });
  const subscription = observer.hub.on('*', (payload, { hook }) => {
    hooks.push([hook, payload as Readonly<Record<string, unknown>>]);
  });
  const stop = followHttpAttempts(scopes, guard, () => true);
  end = () => {
    stop();
    subscription();
  };
});
afterEach(() => {
  end();
  server.closeAllConnections();
  server.close();
});

const post = (path = '/v1/responses', init: RequestInit = {}) =>
  scopes
    .run({ turn, request }, () => fetch(`${url}${path}`, { method: 'POST', body: '{}', ...init }))
    .then(
      (response) => response.text(),
      (error: unknown) => error,
    );
const status = (...codes: number[]): RequestListener => {
  return (_, response) => void response.writeHead(codes.shift() ?? 200).end('x');
};
const heard = () => {
  observer.hub.deliverWaiting();
  return hooks;
};
const told = () => heard().map(([hook, { retry_count, status_code }]) => [hook, retry_count, status_code]);

describe('calls that a client makes again within a request', () => {
  it('are attempts of it', async () => {
    listener = status(503, 429, 200);
    for (let i = 0; i < 3; i++) await post();
    request.end({ finishReason: 'stop' });
    expect(told()).toEqual([
      ['api_request_error', 0, 503],
      ['pre_api_request', 1, undefined],
      ['api_request_error', 1, 429],
      ['pre_api_request', 2, undefined],
      ['post_api_request', undefined, undefined],
    ]);
  });

  it('count when nobody answered, and when the client gave up', async () => {
    listener = (incoming) => incoming.socket.destroy();
    await post();
    listener = () => {};
    await post('/v1/responses', { signal: AbortSignal.timeout(30) });
    listener = status(200);
    await post();
    const errors = heard()
      .filter(([hook]) => hook === 'api_request_error')
      .map(([, { error }]) => error);
    expect(errors).toMatchObject([{ type: expect.any(String) }, { type: 'TimeoutError' }]);
    expect(errors).toHaveLength(2);
    expect(request.hasFailed).toBe(false);
  });

  it('count when the client called one off and sends it again', async () => {
    const abort = new AbortController();
    listener = () => abort.abort();
    await post('/v1/responses', { signal: abort.signal });
    expect(told()).toEqual([]);
    listener = status(200);
    await post();
    expect(heard().map(([hook, { error }]) => [hook, error])).toEqual([
      ['api_request_error', { type: 'TimeoutError', message: undefined }],
      ['pre_api_request', undefined],
    ]);
  });

  it('count at the address that fails, whatever was sent first', async () => {
    listener = status(200, 503, 503, 200);
    await post('/token');
    for (let i = 0; i < 3; i++) await post();
    request.end({ finishReason: 'stop' });
    expect(told()).toEqual([
      ['api_request_error', 0, 503],
      ['pre_api_request', 1, undefined],
      ['api_request_error', 1, 503],
      ['pre_api_request', 2, undefined],
      ['post_api_request', undefined, undefined],
    ]);
  });

  it.each<[string, string[]]>([
    ['the same', ['/m', '/m', '/m']],
    ['others', ['/m', '/log', '/busy']],
    ['others, begun before', ['/busy', '/m']],
  ])('are none beside each other, to %s', async (_, paths) => {
    listener = (incoming, response) => void response.writeHead(incoming.url === '/busy' ? 503 : 200).end('x');
    await Promise.all(paths.map((path) => post(path)));
    expect(told()).toEqual([]);
    expect(request.hasFailed).toBe(false);
  });

  it('count beside a log', async () => {
    const codes = [503, 200];
    listener = (incoming, response) =>
      void response.writeHead(incoming.url === '/log' ? 200 : (codes.shift() ?? 200)).end('x');
    await Promise.all([post(), post('/log')]);
    await Promise.all([post(), post('/log')]);
    expect(told()).toEqual([
      ['api_request_error', 0, 503],
      ['pre_api_request', 1, undefined],
    ]);
  });

  it.each([
    ['of another address', () => post('/v1/traces/ingest')],
    ['that ask for something', () => post('/v1/responses', { method: 'GET', body: null })],
  ])('and calls %s are none', async (_, other) => {
    listener = status(200, 503);
    await post();
    await other();
    expect(told()).toEqual([]);
  });

  it.each([400, 401, 404])('end with %i, of which the client tells more', async (code) => {
    listener = status(code);
    await post();
    expect(told()).toEqual([]);
  });

  it('are not followed for other requests, outside of one, and after its end', async () => {
    listener = status(503, 503);
    await fetch(url, { method: 'POST' });
    end();
    end = followHttpAttempts(scopes, guard, () => false);
    await post();
    expect(request.hasFailed).toBe(false);
    request.end({});
    await post();
    expect(request.isEnded).toBe(true);
  });
});

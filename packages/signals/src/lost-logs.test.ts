import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createObserver } from '@hermes-observer/otel';
import { afterEach, describe, expect, it } from 'vitest';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A receiver of logs that answers so; 0 never does. */
async function receiver(status: number): Promise<{ env: Record<string, string>; bodies: Buffer[] }> {
  const bodies: Buffer[] = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts));
      if (status > 0) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
  };
  return { env, bodies };
}

/** Requests that end in one turn of the event loop, as many. */
async function ended(env: Record<string, string>, requests: number): Promise<string[]> {
  const told: string[] = [];
  const observer = createObserver({ env, exporters: [], logs: true, onWarning: (text) => told.push(text) });
  for (let i = 0; i < requests; i++) {
    const ids = { session_id: 's', turn_id: 't', api_request_id: `r-${i}`, model: 'm' };
    observer.hub.emit('pre_api_request', ids);
    observer.hub.emit('post_api_request', ids);
  }
  await observer.shutdown(3_000);
  return told;
}

describe('log records of a program', () => {
  it('of a burst are all exported', async () => {
    const { env, bodies } = await receiver(200);
    expect(await ended(env, 3_000)).toEqual([]);
    const records = bodies.map(
      (body) => body.toString().split('"gen_ai.client.inference.operation.details"').length - 1,
    );
    expect(records.reduce((sum, count) => sum + count, 0)).toBe(3_000);
  });

  it('that are too many at once are counted and told', async () => {
    const { env } = await receiver(200);
    const [text = ''] = await ended(env, 12_000);
    expect(text).toMatch(/^log records that were dropped, since more came at once than may wait: \d+\.$/);
  });

  it.each([400, 413, 503, 0])(
    'that a receiver does not take (%d) are counted and told, and nothing waits for long',
    async (status) => {
      const { env } = await receiver(status);
      const start = performance.now();
      const told = await ended(env, 3);
      expect(told.join()).toMatch(/lost on their way to .*: 3\./);
      expect(performance.now() - start).toBeLessThan(4_500);
    },
  );
});

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ObserverTracerProvider } from '@hermes-observer/otel';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { OtlpEndpoint } from './otlp-endpoint.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  vi.unstubAllEnvs();
});

async function listen(onRequest: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer(onRequest as never).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function spans() {
  const memory = new InMemorySpanExporter();
  const provider = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
  provider.getTracer('t').startSpan('s').end();
  return memory.getFinishedSpans();
}

function terminal(isTTY: boolean) {
  const written: string[] = [];
  return { written, out: { isTTY, write: (text: string) => written.push(text) } as unknown as NodeJS.WriteStream };
}

/** Sends until the endpoint is given up: the error, and how long the slowest and all of them took. */
async function sendUntilGivenUp(endpoint: OtlpEndpoint) {
  let total = 0;
  for (let tries = 1; tries <= 4; tries++) {
    const { error, millis } = await send(endpoint);
    total += millis;
    if (millis < 100) return { error, tries, total };
  }
  throw new Error('each batch was waited for');
}

async function send(endpoint: OtlpEndpoint) {
  const began = performance.now();
  const result = await new Promise<{ code: number; error?: Error }>((resolve) => endpoint.export(spans(), resolve));
  return { ...result, millis: performance.now() - began };
}

describe('OtlpEndpoint', () => {
  it.each(['', 'localhost:4318', 'ftp://x', 'nonsense'])('refuses %j', async (endpoint) => {
    await expect(OtlpEndpoint.create(endpoint)).rejects.toMatchObject({ code: 'HO_OPTION' });
  });

  it('takes a base address or the full path, and names it without credentials', async () => {
    for (const [given, name] of [
      ['http://h:1', 'http://h:1/v1/traces'],
      ['http://h:1/otlp/', 'http://h:1/otlp/v1/traces'],
      ['https://h/v1/traces', 'https://h/v1/traces'],
      ['https://me:secret@h?key=secret', 'https://h/v1/traces'],
    ] as const) {
      expect((await OtlpEndpoint.create(given)).name).toBe(name);
    }
  });

  it('goes on after a batch that was refused', async () => {
    let count = 0;
    const endpoint = await OtlpEndpoint.create(
      await listen((request, response) => {
        request.resume();
        response.writeHead(count++ === 0 ? 401 : 200).end('{}');
      }),
    );
    const first = await send(endpoint);
    expect(first.error).toMatchObject({
      code: 'HO_EXPORT_FAILED',
      message: `${endpoint.name} refuses: Unauthorized (HTTP 401); check its address and key`,
    });
    expect((await send(endpoint)).code).toBe(0);
  });

  it('gives up on an endpoint that hangs, and says on a terminal that it waits, once', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '1500');
    const { written, out } = terminal(true);
    const endpoint = await OtlpEndpoint.create(await listen(() => {}), out);
    const { error, total } = await sendUntilGivenUp(endpoint);
    expect(error).toMatchObject({
      code: 'HO_EXPORT_FAILED',
      message: expect.stringContaining(`${endpoint.name} cannot be reached: no answer in 1500 ms`),
    });
    expect(total).toBeLessThan(8000);
    expect(written.filter((text) => text.includes('waiting for'))).toEqual([
      `\r\x1b[Kwaiting for ${endpoint.name} …\n`,
    ]);
  });

  it('gives up on an endpoint where nobody listens, and says no word of waiting where there is no terminal', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '2000');
    const address = await listen(() => {});
    await new Promise((resolve) => server?.close(resolve));
    const { written, out } = terminal(false);
    const { error } = await sendUntilGivenUp(await OtlpEndpoint.create(address, out));
    expect(error?.message).toMatch(/ cannot be reached: connect ECONNREFUSED .*; check the address/);
    expect(written.join('')).not.toContain('waiting');
  });
});

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
        response.writeHead(count++ === 0 ? 413 : 200).end('{}');
      }),
    );
    const first = await send(endpoint);
    expect(first.error).toMatchObject({
      code: 'HO_EXPORT_FAILED',
      message: `${endpoint.name} refused spans: Payload Too Large (HTTP 413)`,
    });
    expect((await send(endpoint)).code).toBe(0);
  });

  it('waits once for an endpoint that hangs, says so on a terminal, and gives up', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '1500');
    const { written, out } = terminal(true);
    const endpoint = await OtlpEndpoint.create(await listen(() => {}), out);
    const first = await send(endpoint);
    expect(first.error).toMatchObject({
      code: 'HO_EXPORT_FAILED',
      message: expect.stringContaining(`${endpoint.name} cannot be reached: Request timed out`),
    });
    expect(first.millis).toBeLessThan(5000);
    expect(written).toEqual([`\r\x1b[Kwaiting for ${endpoint.name} …\n`]);
    const later = await send(endpoint);
    expect(later.error).toBe(first.error);
    expect(later.millis).toBeLessThan(500);
  });

  it('waits once for an endpoint where nobody listens, and is silent where there is no terminal', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', '2000');
    const address = await listen(() => {});
    await new Promise((resolve) => server?.close(resolve));
    const { written, out } = terminal(false);
    const endpoint = await OtlpEndpoint.create(address, out);
    const first = await send(endpoint);
    expect(first.error?.message).toMatch(/ cannot be reached: connect ECONNREFUSED .*; check the address/);
    expect(first.millis).toBeLessThan(5000);
    expect((await send(endpoint)).millis).toBeLessThan(500);
    expect(written).toEqual([]);
  });
});

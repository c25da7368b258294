import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Attributes } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { PROTOBUF_ENCODING } from '../encoding/protobuf-encoding.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import type { CountedResult } from '../sdk/counted-result.js';
import { OtlpHttpExporter, type OtlpHttpExporterOptions } from './otlp-http.js';

interface Got {
  readonly names: readonly string[];
  /** The bytes, as one character each. */
  readonly body: string;
}

let server: Server | undefined;
let exporter: OtlpHttpExporter | undefined;
afterEach(async () => {
  await exporter?.shutdown();
  server?.closeAllConnections();
  server?.close();
});

async function receiver(
  answer: (got: Got, count: number) => [status: number, body?: Uint8Array],
  options: Partial<OtlpHttpExporterOptions> = {},
) {
  const requests: Got[] = [];
  server = createServer(async (request, response: ServerResponse) => {
    const bytes = await buffer(request);
    const spans = PROTOBUF_ENCODING.spansOf(bytes);
    const names = spans.map(
      ({ arena, start, bytes: size }) => PROTOBUF_ENCODING.identity(arena.view(start, start + size)).name,
    );
    const got = { names, body: bytes.toString('latin1') };
    requests.push(got);
    const [status, body] = answer(got, requests.length);
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const made = new OtlpHttpExporter({ url, env: {}, timeoutMillis: 2_000, ...options });
  exporter = made;
  const send = (spans: ReadableSpan[]) => new Promise<CountedResult>((resolve) => made.export(spans, resolve));
  return { requests, exporter: made, send };
}

function many(count: number, attributes: (i: number) => Attributes = () => ({})): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const tracer = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }).getTracer('test');
  for (let i = 0; i < count; i++) tracer.startSpan(`span ${i}`, { attributes: attributes(i) }).end();
  return memory.getFinishedSpans();
}

const namesOf = (count: number) => Array.from({ length: count }, (_, i) => `span ${i}`);

describe('OtlpHttpExporter in protobuf', () => {
  it('is the default, as the specification has it', async () => {
    const { send, requests, exporter } = await receiver(() => [200]);
    expect(await send(many(3))).toEqual({ code: 0 });
    expect(requests.map(({ names }) => names)).toEqual([namesOf(3)]);
    expect(exporter).toMatchObject({ writtenSpans: 3, lostSpans: 0 });
  });

  it.each([400, 413])('splits what is refused with %i until the bad span is alone, which goes cut', async (status) => {
    const { send, requests, exporter } = await receiver(({ body }) => [body.includes('poison') ? status : 200]);
    expect(await send(many(512, (i) => (i === 300 ? { poison: 1, more: 'x'.repeat(100) } : { a: i })))).toEqual({
      code: 0,
    });
    expect(exporter).toMatchObject({ writtenSpans: 512, lostSpans: 0, cutSpans: 1, lostByReason: {} });
    expect(requests.length).toBeLessThan(25);
    const good = requests.filter(({ body }) => !body.includes('poison'));
    expect(good.flatMap(({ names }) => names)).toEqual(namesOf(512));
    expect(good.filter(({ body }) => body.includes('hermes.export.cut')).map(({ names }) => names)).toEqual([
      ['span 300'],
    ]);
  });

  it('makes fit what a smaller limit of the receiver refuses', async () => {
    const { send, requests, exporter } = await receiver(({ body }) => [body.length > 100_000 ? 413 : 200]);
    await send(many(20, (i) => ({ text: 'x'.repeat(i === 3 ? 300_000 : 20_000) })));
    expect(exporter).toMatchObject({ writtenSpans: 20, lostSpans: 0, cutSpans: 1 });
    const [cut] = requests.filter(({ body }) => body.includes('hermes.export.cut') && body.length <= 100_000);
    // Not only its bones are left.
    expect(cut?.body.length).toBeGreaterThan(50_000);
  });

  it('gives up a span that is refused bare, and that one alone', async () => {
    const { send, exporter } = await receiver(({ names }) => [names.includes('span 5') ? 400 : 200]);
    const { code, error, lost } = await send(many(16));
    expect([code, lost]).toEqual([1, { refused: 1 }]);
    expect(error?.message).toMatch(/refused spans: Bad Request \(HTTP 400\)/);
    expect(exporter).toMatchObject({ writtenSpans: 15, lostSpans: 1, lostByReason: { refused: 1 } });
  });

  it('counts what a partial success rejects', async () => {
    const partial = Uint8Array.of(0x0a, 7, 0x08, 2, 0x12, 3, ...Buffer.from('old'));
    const { send, exporter } = await receiver(() => [200, partial]);
    const { error, lost } = await send(many(5));
    expect(error?.message).toMatch(/rejected 2 of 5 spans: old/);
    expect(lost).toEqual({ rejected: 2 });
    expect(exporter).toMatchObject({ writtenSpans: 3, lostSpans: 2, lostByReason: { rejected: 2 } });
  });

  it('says why for each span that is lost', async () => {
    const { send, exporter } = await receiver(
      ({ names }, count) => [names[0] === 'span 0' && count === 1 ? 401 : 503],
      {
        retryMillis: 0,
      },
    );
    const broken = Object.defineProperty(Object.create(many(1)[0] as object), 'attributes', {
      get() {
        throw new Error('hostile');
      },
    }) as ReadableSpan;
    await send(many(2));
    await send(many(3));
    expect(exporter.lostByReason).toEqual({ unreachable: 5 });
    await exporter.shutdown();
    await send([broken]);
    expect(exporter.lostByReason).toEqual({ unreachable: 5, shutdown: 1 });
  });

  it('leaves out a span that cannot be read, and counts it', async () => {
    const { send, requests, exporter } = await receiver(() => [200]);
    const broken = {
      spanContext() {
        throw new Error('hostile');
      },
    } as unknown as ReadableSpan;
    const { code, lost } = await send([...many(2), broken]);
    expect([code, lost]).toEqual([1, { unwritable: 1 }]);
    expect(requests.map(({ names }) => names)).toEqual([namesOf(2)]);
    expect(exporter).toMatchObject({ writtenSpans: 2, lostSpans: 1 });
  });
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Attributes } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it } from 'vitest';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import type { ExportResult } from '../sdk/types.js';
import { OtlpHttpExporter, type OtlpHttpExporterOptions } from './otlp-http.js';

interface Sent {
  readonly names: readonly string[];
  readonly bytes: number;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

let server: Server | undefined;
let exporter: OtlpHttpExporter | undefined;
afterEach(async () => {
  await exporter?.shutdown();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  exporter = undefined;
});

/** A receiver that answers as `answer` says, and an exporter that sends to it. */
async function receiver(
  answer: (sent: Sent, response: ServerResponse, count: number) => void,
  options: Partial<OtlpHttpExporterOptions> = {},
) {
  const sent: Sent[] = [];
  server = createServer(async (request, response) => {
    const body = await text(request);
    const names = [...body.matchAll(/"name":"(span \d+)"/g)].map(([, name]) => name ?? '');
    const one = { names, bytes: Buffer.byteLength(body), body, headers: request.headers };
    sent.push(one);
    answer(one, response, sent.length);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const made = new OtlpHttpExporter({ url, timeoutMillis: 2000, protocol: 'http/json', ...options });
  exporter = made;
  const send = (spans: ReadableSpan[]) => new Promise<ExportResult>((resolve) => made.export(spans, resolve));
  return { sent, exporter: made, send, url };
}

function makeSpans(...all: Attributes[]): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const provider = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
  all.forEach((attributes, i) => void provider.getTracer('test').startSpan(`span ${i}`, { attributes }).end());
  return memory.getFinishedSpans();
}
const many = (count: number, attributes: (i: number) => Attributes = () => ({})) =>
  makeSpans(...Array.from({ length: count }, (_, i) => attributes(i)));
const counts = ({ writtenSpans, lostSpans }: OtlpHttpExporter) => [writtenSpans, lostSpans];
const end = (response: ServerResponse, status: number, body = '{}') => response.writeHead(status).end(body);

describe('what the endpoint says', () => {
  it.each([
    ['an empty object', '{}'],
    ['nothing', ''],
    ['an empty partial success', '{"partialSuccess":{}}'],
  ])('is success with %s', async (_kind, body) => {
    const { exporter, send, sent } = await receiver((_sent, response) => end(response, 200, body));
    expect(await send(many(3))).toEqual({ code: 0 });
    expect(counts(exporter)).toEqual([3, 0]);
    expect(sent[0]?.names).toEqual(['span 0', 'span 1', 'span 2']);
    expect(sent[0]?.headers['content-type']).toBe('application/json');
  });

  it.each([2, '2'])('counts spans that a partial success rejects as lost: %j', async (rejectedSpans) => {
    const partialSuccess = { rejectedSpans, errorMessage: 'too old' };
    const { exporter, send, url } = await receiver((_sent, response) =>
      end(response, 200, JSON.stringify({ partialSuccess })),
    );
    const { code, error } = await send(many(5));
    expect([code, error?.message]).toEqual([1, `${url} rejected 2 of 5 spans: too old`]);
    expect(counts(exporter)).toEqual([3, 2]);
  });

  it.each([
    ['a web page', (response: ServerResponse) => end(response, 200, '<!doctype html><title>Hello</title>')],
    ['a cut body', (response: ServerResponse) => end(response, 200, '{"partialSucc')],
  ])('is no confirmation with %s', async (_kind, answer) => {
    const { exporter, send } = await receiver((_sent, response) => void answer(response));
    const { error } = await send(many(2));
    expect(error?.message).toMatch(/answers with no OTLP response/);
    expect(counts(exporter)).toEqual([0, 2]);
  });

  it.each([
    [
      'a body whose connection breaks',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': 100 }).write('{');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    [
      'a body that never ends',
      (response: ServerResponse) => {
        response.writeHead(200).write('{');
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(timer));
      },
    ],
  ])('is asked again after %s', async (_kind, answer) => {
    const { exporter, send } = await receiver(
      (_sent, response, count) => void (count > 1 ? end(response, 200) : answer(response)),
      { timeoutMillis: 300, retryMillis: 2000 },
    );
    expect(await send(many(2))).toEqual({ code: 0 });
    expect([exporter.retries, ...counts(exporter)]).toEqual([1, 2, 0]);
  });

  it('is asked again where it says so', async () => {
    const { exporter, send, sent } = await receiver((_sent, response, count) => {
      if (count > 1) end(response, 200);
      else response.writeHead(503, { 'retry-after': '0' }).end();
    });
    expect(await send(many(2))).toEqual({ code: 0 });
    expect([sent.length, ...counts(exporter)]).toEqual([2, 2, 0]);
  });
});

describe('a span without length', () => {
  it.each([
    [[5, 7], '5000000008'],
    [[5, 999_999_999], '6000000000'],
  ] as const)('of %j is sent with one nanosecond', async ([seconds, nanos], end_) => {
    const { send, sent } = await receiver((_sent, response) => end(response, 200));
    const memory = new InMemorySpanExporter();
    const provider = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] });
    provider
      .getTracer('test')
      .startSpan('span 0', { startTime: [seconds, nanos] })
      .end([seconds, nanos]);
    await send(memory.getFinishedSpans());
    expect(sent[0]?.body).toContain(`"endTimeUnixNano":"${end_}"`);
  });
});

describe('requests', () => {
  it('are no larger than the limit, and lose no span', async () => {
    const { exporter, send, sent } = await receiver((_sent, response) => end(response, 200), {
      maxRequestBytes: 50_000,
    });
    expect(await send(many(40, (i) => ({ text: 'x'.repeat(i === 7 ? 200_000 : 4000) })))).toEqual({ code: 0 });
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThanOrEqual(50_000);
    expect(sent.flatMap(({ names }) => names)).toEqual(Array.from({ length: 40 }, (_, i) => `span ${i}`));
    expect(counts(exporter)).toEqual([40, 0]);
  });

  it.each([400, 413])('that are refused with %i are split until the bad span is alone; it goes cut', async (status) => {
    const { exporter, send, sent } = await receiver((one, response) =>
      end(response, one.body.includes('poison') ? status : 200),
    );
    const spans = many(512, (i) => (i === 300 ? { poison: 1 } : { a: i }));
    expect(await send(spans)).toEqual({ code: 0 });
    expect(counts(exporter)).toEqual([512, 0]);
    expect(sent.length).toBeLessThan(25);
    const cut = sent.find(({ body }) => body.includes('hermes.export.cut'));
    expect(cut?.names).toEqual(['span 300']);
  });

  it('that a smaller limit of the receiver refuses are made to fit it', async () => {
    const { exporter, send, sent } = await receiver((one, response) => end(response, one.bytes > 100_000 ? 413 : 200));
    expect(await send(many(20, (i) => ({ text: 'x'.repeat(i === 3 ? 300_000 : 20_000) })))).toEqual({ code: 0 });
    expect(counts(exporter)).toEqual([20, 0]);
    const [cut] = sent.filter(({ body, bytes }) => body.includes('hermes.export.cut') && bytes <= 100_000);
    // Not only its bones are left.
    expect(cut?.bytes).toBeGreaterThan(50_000);
  });

  it('costs a span that is refused in any form only itself', async () => {
    const { exporter, send } = await receiver((one, response) =>
      end(response, one.names.includes('span 5') ? 400 : 200),
    );
    const { error } = await send(many(16));
    expect(error?.message).toMatch(/refused spans: Bad Request \(HTTP 400\)/);
    expect(counts(exporter)).toEqual([15, 1]);
  });

  it('are few where every one is refused', async () => {
    const { exporter, send, sent } = await receiver((_sent, response) => end(response, 400));
    await send(many(512));
    expect(sent.length).toBeLessThan(400);
    const before = sent.length;
    await send(many(512));
    expect(sent.length - before).toBeLessThan(25);
    expect(counts(exporter)).toEqual([0, 1024]);
  });

  it('are not split for another status', async () => {
    const { exporter, send, sent } = await receiver((_sent, response) => end(response, 401));
    const { error } = await send(many(10));
    expect(error?.message).toMatch(/refuses: Unauthorized \(HTTP 401\); check its address and key/);
    expect([sent.length, ...counts(exporter)]).toEqual([1, 0, 10]);
  });
});

describe('an endpoint that is not there', () => {
  it('is given up after some batches in a row, told once, and every span is counted', async () => {
    const told: string[] = [];
    const { exporter, send } = await receiver((_sent, response) => void response.destroy(), {
      giveUpAfter: 2,
      timeoutMillis: 300,
      onGiveUp: (error) => told.push(error.message),
    });
    const began = performance.now();
    for (let i = 0; i < 50; i++) expect((await send(many(2))).code).toBe(1);
    expect(performance.now() - began).toBeLessThan(3000);
    expect(counts(exporter)).toEqual([0, 100]);
    expect(told).toEqual([expect.stringMatching(/cannot be reached: .+; check the address/)]);
  });

  it('is not given up while batches in between come through', async () => {
    const { exporter, send } = await receiver((_sent, response, count) => end(response, count % 2 === 1 ? 503 : 200), {
      giveUpAfter: 2,
      timeoutMillis: 300,
      retryMillis: 0,
    });
    for (let i = 0; i < 8; i++) await send(many(1));
    expect(counts(exporter)).toEqual([4, 4]);
  });

  it('that answers nothing costs no more than the time given', async () => {
    const { exporter, send } = await receiver(() => {}, { timeoutMillis: 200 });
    const { error } = await send(many(3));
    expect(error?.message).toMatch(/cannot be reached: no answer in 200 ms/);
    expect(counts(exporter)).toEqual([0, 3]);
  });

  it('is not tried again for long once the end is near', async () => {
    const { exporter, send, sent } = await receiver((_sent, response) => end(response, 503), { retryMillis: 60_000 });
    const began = performance.now();
    const result = send(many(3));
    setTimeout(() => exporter.hurry(), 100);
    expect((await result).code).toBe(1);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(sent.length).toBeGreaterThan(1);
    expect(counts(exporter)).toEqual([0, 3]);
  });

  it('says while it waits for the next try why the last one failed', async () => {
    const { exporter, send } = await receiver((_sent, response) => end(response, 503), { retryMillis: 60_000 });
    expect(exporter.trouble).toBeUndefined();
    const result = send(many(1));
    await expect.poll(() => exporter.trouble?.message).toMatch(/takes no spans now: it asks to try again/);
    await exporter.shutdown();
    expect((await result).error?.message).toMatch(/takes no spans now/);
    expect(exporter.trouble).toBeUndefined();
  });

  it('gets nothing after shutdown', async () => {
    const { exporter, send, sent } = await receiver((_sent, response) => end(response, 200));
    await exporter.shutdown();
    expect(await send(many(1))).toMatchObject({ code: 1, error: { code: 'HO_EXPORT_FAILED' } });
    expect([sent.length, exporter.lostSpans]).toEqual([0, 1]);
  });
});

// Healthy spans of every size and spans that no receiver takes, mixed, through the batches and exporters into a real
// Collector with its default limits: each healthy one has to arrive as it is, and each other one safe, cut, or counted.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchingSpanProcessor, OtlpHttpExporter, SpooledOtlpExporter } from '@hermes-observer/otel';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Collector } from '../outage/collector.mjs';
import { HEALTHY_BYTES, healthySpan, POISON } from './poison-spans.mjs';
import { randomOf } from './tail-sampling-turns.mjs';

const HEALTHY = 200;
const MIB = 2 ** 20;
/** The spans are made, sent and received in one process, which is busy at times. */
const PATIENT = 60_000;

/** What the Collector hands on, by the number of each span, and by its start where the number is gone. */
class Backend {
  spans = [];
  #server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      for (const { scopeSpans } of JSON.parse(String(Buffer.concat(chunks))).resourceSpans) {
        for (const { spans } of scopeSpans) for (const span of spans) this.spans.push(this.#digest(span));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });

  async open() {
    // The Collector keeps its connection while large spans are made.
    this.#server.keepAliveTimeout = 60_000;
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${this.#server.address().port}/v1/traces`;
  }

  #digest(span) {
    const attributes = new Map((span.attributes ?? []).map(({ key, value }) => [key, value]));
    return { ...span, attributes };
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** The mix, in an order of its own: number → what it is. */
function mixed(seed) {
  const random = randomOf(seed);
  const all = Array.from({ length: HEALTHY }, () => ({ kind: 'healthy' }));
  for (const kind of Object.keys(POISON)) all.push({ kind });
  for (let i = all.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all.map(({ kind }, number) => {
    if (kind !== 'healthy') return { kind, number, span: POISON[kind].make(number) };
    // Few of the large ones.
    const at = Math.min(Math.floor(random() ** 2 * HEALTHY_BYTES.length), HEALTHY_BYTES.length - 1);
    return { kind, number, ...healthySpan(number, HEALTHY_BYTES[at]) };
  });
}

/** `isFull`: only then; `isLarge`: what fits the Collector's 20 MiB is not cut. */
const EXPORTERS = {
  protobuf: {
    make: (url) => new OtlpHttpExporter({ url, env: {}, timeoutMillis: PATIENT, protocol: 'http/protobuf' }),
  },
  json: { make: (url) => new OtlpHttpExporter({ url, env: {}, timeoutMillis: PATIENT, protocol: 'http/json' }) },
  'protobuf, spool': {
    isFull: true,
    make: (url, folder) =>
      new SpooledOtlpExporter({ url, env: {}, timeoutMillis: PATIENT, spool: { folder }, onWarning: console.log }),
  },
  'json, spool': {
    make: (url, folder) =>
      new SpooledOtlpExporter({
        url,
        env: {},
        timeoutMillis: PATIENT,
        protocol: 'http/json',
        spool: { folder },
        onWarning: console.log,
      }),
  },
  // What is refused has to be taken apart.
  'protobuf, requests of 60 MiB': {
    isLarge: true,
    make: (url) =>
      new OtlpHttpExporter({
        url,
        env: {},
        timeoutMillis: PATIENT,
        protocol: 'http/protobuf',
        maxRequestBytes: 60 * MIB,
      }),
  },
  'json, requests of 60 MiB': {
    isFull: true,
    isLarge: true,
    make: (url) =>
      new OtlpHttpExporter({ url, env: {}, timeoutMillis: PATIENT, protocol: 'http/json', maxRequestBytes: 60 * MIB }),
  },
};

/** A span's number, wherever it may be left: none of the fields is sure to arrive. */
function numberOf({ attributes, traceId, spanId, startTimeUnixNano, endTimeUnixNano }) {
  const number = attributes.get('number')?.intValue;
  if (number !== undefined) return Number(number);
  const nanos = [startTimeUnixNano, endTimeUnixNano].map((time) => Number(BigInt(time ?? 0) % 1_000_000_000n));
  const byId = [Number.parseInt(spanId, 16) - 1, Number.parseInt(traceId.slice(16), 16) - 1];
  return [...byId, ...nanos].find((one) => Number.isSafeInteger(one) && one >= 0 && one < 100_000);
}

function isUnchanged({ number, text }, { attributes, events, status, name }) {
  const expected = [
    ['text', { stringValue: text }],
    ['a.list', { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } }],
    ['ratio', { doubleValue: 0.5 }],
    ['is', { boolValue: number % 2 === 0 }],
  ];
  return (
    name === `span ${number}` &&
    attributes.size === 6 &&
    Number(attributes.get('count')?.intValue) === number * 1000 &&
    events?.length === 1 &&
    status?.message === 'no' &&
    expected.every(([key, value]) => JSON.stringify(attributes.get(key)) === JSON.stringify(value))
  );
}

/** Sends the mix by `processor`; returns what arrived, by number. */
async function send(all, processor, backend, mayThrow = false) {
  backend.spans = [];
  for (const { span } of all) {
    try {
      processor.onEnd(span);
    } catch (error) {
      if (!mayThrow) throw error;
    }
  }
  await processor.forceFlush().catch(() => {});
  await processor.shutdown().catch(() => {});
  await sleep(200);
  const arrived = new Map();
  for (const span of backend.spans) {
    const number = numberOf(span);
    arrived.set(number, [...(arrived.get(number) ?? []), span]);
  }
  return arrived;
}

async function checkExporter(name, { make, isLarge }, { url, backend, folder, seed }, check) {
  const all = mixed(seed);
  const exporter = make(url, folder);
  // Above what the queue holds by default: the mix is larger.
  const processor = new BatchingSpanProcessor(exporter, { maxQueueBytes: 1024 * MIB, exportTimeoutMillis: 120_000 });
  const arrived = await send(all, processor, backend);
  const healthy = all.filter(({ kind }) => kind === 'healthy');
  const whole = healthy.filter((one) => {
    const spans = arrived.get(one.number) ?? [];
    return spans.length === 1 && isUnchanged(one, spans[0]);
  });
  check(`${name}: every healthy span arrives as it is`, whole.length === HEALTHY, `${whole.length} of ${HEALTHY}`);
  const poison = all.filter(({ kind }) => kind !== 'healthy');
  let missing = 0;
  const faults = [];
  for (const { kind, number } of poison) {
    const spans = arrived.get(number) ?? [];
    const { is = () => true, mayBeLost = false } = POISON[kind];
    if (spans.length === 0) {
      missing++;
      if (!mayBeLost) faults.push(`${kind} did not arrive`);
    } else if (spans.length > 1) faults.push(`${kind} arrived ${spans.length} times`);
    else if (!is(spans[0]) && !isLarge)
      faults.push(`${kind} arrived as ${JSON.stringify([...spans[0].attributes]).slice(0, 200)}`);
  }
  check(`${name}: each other one of ${poison.length} arrives safe or cut`, faults.length === 0, faults.join('; '));
  const lost = exporter instanceof SpooledOtlpExporter ? exporter.counts.lostSpans : exporter.lostSpans;
  const cut = exporter instanceof SpooledOtlpExporter ? exporter.counts.cutSpans : exporter.cutSpans;
  check(`${name}: what did not arrive is counted`, lost === missing, `${missing} missing, ${lost} counted`);
  check(`${name}: what was cut is counted`, cut === cutOf(backend), `${cutOf(backend)} cut, ${cut} counted`);
}

const cutOf = ({ spans }) => spans.filter(({ attributes }) => attributes.has('hermes.export.cut')).length;

/** For the record: what becomes of the same mix with the stock exporter and processor. */
async function tellStock({ url, backend, seed }) {
  const all = mixed(seed);
  const exporter = new OTLPTraceExporter({ url });
  const processor = new BatchSpanProcessor(exporter, { exportTimeoutMillis: 20_000 });
  const arrived = await send(all, processor, backend, true);
  const got = all.filter(({ kind, number }) => kind === 'healthy' && arrived.has(number)).length;
  console.log(`     stock: ${got} of ${HEALTHY} healthy spans arrive, ${arrived.size} of all ${all.length}`);
}

export async function checkPoison({ isFull, seed }, check) {
  const backend = new Backend();
  const collector = new Collector(await backend.open());
  await collector.start();
  const url = `${collector.url}/v1/traces`;
  try {
    for (const [name, one] of Object.entries(EXPORTERS)) {
      if (one.isFull && !isFull) continue;
      const folder = mkdtempSync(join(tmpdir(), 'pipeline-poison-'));
      try {
        for (let i = 0; i < (isFull ? 2 : 1); i++) {
          const began = performance.now();
          await checkExporter(name, one, { url, backend, folder, seed: seed + i }, check);
          console.log(`     ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
        }
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
    await tellStock({ url, backend, seed });
  } finally {
    await collector.kill();
    backend.close();
  }
}

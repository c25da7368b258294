import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROTOBUF_ENCODING } from '../encoding/protobuf-encoding.js';
import { SpanEncoder } from '../encoding/span-encoder.js';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { HttpTarget } from '../transport/http-target.js';
import { Backend } from './backend.test-support.js';
import type { Request } from './spool.js';
import { SpoolDelivery, type SpoolDeliveryOptions } from './spool-delivery.js';

let folder: string;
let backend: Backend;
const open: SpoolDelivery[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'spool-delivery-'));
  backend = await new Backend().open();
});
afterEach(async () => {
  for (const delivery of open.splice(0)) await delivery.close();
  await backend.leave();
  rmSync(folder, { recursive: true, force: true });
});

async function deliver(options: Partial<SpoolDeliveryOptions> = {}) {
  const warnings: string[] = [];
  const delivery = await SpoolDelivery.open({
    folder,
    limits: { bytes: 2 ** 30, ageMillis: Number.POSITIVE_INFINITY },
    encoding: PROTOBUF_ENCODING,
    target: () => new HttpTarget({ url: backend.url, timeoutMillis: 1_000 }),
    name: 'test',
    onWarning: (text) => void warnings.push(text),
    ...options,
  });
  open.push(delivery);
  const close = async () => {
    open.splice(open.indexOf(delivery), 1);
    await delivery.close();
  };
  return { delivery, warnings, close };
}

/** Requests of one span each, of these numbers. */
function requests(from: number, to: number, text = ''): Request[] {
  const memory = new InMemorySpanExporter();
  const tracer = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }).getTracer('test');
  for (let i = from; i < to; i++) tracer.startSpan(`s${i}`, { attributes: { text } }).end();
  const encoder = new SpanEncoder(PROTOBUF_ENCODING);
  return memory
    .getFinishedSpans()
    .map((span) => ({ body: PROTOBUF_ENCODING.request([encoder.encode(span) as never]), spans: 1 }));
}
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `s${from + i}`);
const arrived = (count: number) => vi.waitFor(() => expect(backend.names).toHaveLength(count), 10_000);

describe('what was added', () => {
  it('arrives in order, and flush waits for it', async () => {
    const { delivery } = await deliver();
    for (let i = 0; i < 200; i += 20) await delivery.add(requests(i, i + 20));
    await delivery.flush();
    expect(backend.names).toEqual(names(0, 200));
    expect(delivery.counts).toMatchObject({ sentSpans: 200, lostSpans: 0, waitingSpans: 0, waitingBytes: 0 });
  });

  it('waits for a backend that is away, is told of once, and arrives in order', async () => {
    await backend.leave();
    const { delivery, warnings } = await deliver();
    await delivery.add(requests(0, 30));
    const began = performance.now();
    await delivery.flush();
    expect(performance.now() - began).toBeLessThan(6_000);
    expect(delivery.counts).toMatchObject({ sentSpans: 0, waitingSpans: 30 });
    expect(delivery.counts.waitingBytes).toBeGreaterThan(1_000);
    expect(warnings).toEqual([expect.stringMatching(/ECONNREFUSED.*; spans wait until it takes them\.$/)]);
    await backend.open();
    await arrived(30);
    expect(backend.names).toEqual(names(0, 30));
    expect(delivery.counts.retries).toBeGreaterThanOrEqual(3);
  });

  it('is waited for over a failure that is short', async () => {
    let count = 0;
    backend.status = () => (count++ === 0 ? 503 : 200);
    const { delivery } = await deliver();
    await delivery.add(requests(0, 3));
    await delivery.flush();
    expect(backend.names).toEqual(names(0, 3));
  });

  it('goes on with the next one after a restart', async () => {
    await backend.leave();
    const first = await deliver();
    await first.delivery.add(requests(0, 10));
    await first.close();
    await backend.open();
    const second = await deliver();
    await second.delivery.add(requests(10, 20));
    await second.delivery.flush();
    expect(backend.names).toEqual(names(0, 20));
    expect(second.delivery.counts).toMatchObject({ sentSpans: 20, lostSpans: 0 });
  });

  it('that was delivered in part goes on from there after a restart', async () => {
    const first = await deliver();
    await first.delivery.add(requests(0, 5));
    await first.delivery.flush();
    await backend.leave();
    await first.delivery.add(requests(5, 10));
    await first.close();
    await backend.open();
    const second = await deliver();
    await arrived(10);
    expect(backend.names).toEqual(names(0, 10));
    expect(second.delivery.counts.sentSpans).toBe(5);
  });

  it('that was delivered does not come again after a restart', async () => {
    const first = await deliver();
    await first.delivery.add(requests(0, 5));
    await first.delivery.flush();
    await first.close();
    const second = await deliver();
    await second.delivery.add(requests(5, 6));
    await second.delivery.flush();
    expect(backend.names).toEqual(names(0, 6));
  });
});

describe('a folder for several', () => {
  it('has a part for each, and what one left is taken over by the next', async () => {
    await backend.leave();
    const [one, two, three] = [await deliver(), await deliver(), await deliver()];
    await one.delivery.add(requests(0, 5));
    await two.delivery.add(requests(5, 10));
    await three.delivery.add(requests(10, 15));
    expect(readdirSync(folder).sort()).toEqual(['0', '1', '2']);
    await two.close();
    await three.close();
    await backend.open();
    const next = await deliver();
    await arrived(15);
    // In 1, and 2 is taken over.
    await vi.waitFor(() => expect(next.delivery.counts).toMatchObject({ sentSpans: 10, waitingSpans: 0 }), 10_000);
    expect([...backend.names].sort()).toEqual(names(0, 15).sort());
    await vi.waitFor(() => expect(one.delivery.counts.sentSpans).toBe(5));
  });

  it('lets go of what it took over when that is empty', async () => {
    await backend.leave();
    const held = await deliver();
    const left = await deliver();
    await left.delivery.add(requests(0, 3));
    await left.close();
    await held.close();
    await backend.open();
    const next = await deliver();
    await arrived(3);
    // The second part can be had again.
    await sleep(1_500);
    const other = await deliver();
    await other.delivery.add(requests(3, 4));
    await other.delivery.flush();
    expect(readdirSync(folder).sort()).toEqual(['0', '1']);
    expect(next.delivery.counts.sentSpans).toBe(3);
  });
});

describe('limits', () => {
  it('give up the oldest by bytes, and count them', async () => {
    await backend.leave();
    const { delivery } = await deliver({ limits: { bytes: 20 * 2 ** 20, ageMillis: Number.POSITIVE_INFINITY } });
    // Segments have 8 MiB: so much is given up at a time.
    for (let i = 0; i < 45; i++) await delivery.add(requests(i, i + 1, 'x'.repeat(2 ** 20)));
    await vi.waitFor(() => expect(delivery.counts.lostSpans).toBeGreaterThan(15), 5_000);
    const { lostSpans, lostByReason, waitingSpans } = delivery.counts;
    expect(lostByReason).toEqual({ limit: lostSpans });
    expect(lostSpans + waitingSpans).toBe(45);
    await backend.open();
    await vi.waitFor(() => expect(delivery.counts.waitingSpans).toBe(0), 15_000);
    const { sentSpans } = delivery.counts;
    expect(sentSpans + delivery.counts.lostSpans).toBe(45);
    expect(backend.names.slice(-10)).toEqual(names(35, 45));
  });

  it('give up by age, and count them', async () => {
    await backend.leave();
    const { delivery } = await deliver({ limits: { bytes: 2 ** 30, ageMillis: 1_500 } });
    await delivery.add(requests(0, 4));
    await vi.waitFor(() => expect(delivery.counts.lostSpans).toBeGreaterThanOrEqual(3), 8_000);
    // The one that is being tried is in memory.
    expect(delivery.counts.lostByReason).toEqual({ limit: delivery.counts.lostSpans });
  });
});

describe('what is refused', () => {
  it('is split, sent bare, named and counted', async () => {
    backend.status = (all) => (all.includes('s2') ? 400 : 200);
    const { delivery, warnings } = await deliver();
    await delivery.add(requests(0, 5));
    await delivery.flush();
    expect(backend.names).toEqual(['s0', 's1', 's3', 's4']);
    expect(delivery.counts).toMatchObject({ sentSpans: 4, lostSpans: 1, lostByReason: { refused: 1 } });
    expect(warnings[0]).toMatch(/span "s2" \(trace \w{32}, span \w{16}\) was refused: .*it is lost/);
  });
});

describe('a folder that cannot be made', () => {
  it('is an error', async () => {
    await expect(deliver({ folder: '/dev/null/spool' })).rejects.toThrow();
  });
});

it('flush ends when it is closed', async () => {
  backend.status = 0;
  const { delivery, close } = await deliver();
  await delivery.add(requests(0, 1));
  const flushed = delivery.flush();
  await close();
  await flushed;
});

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Attributes } from '@opentelemetry/api';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import type { CountedResult } from '../sdk/counted-result.js';
import { Backend } from '../spool/backend.test-support.js';
import { SpooledOtlpExporter, type SpooledOtlpExporterOptions } from './spooled-otlp.js';

let folder: string;
let backend: Backend;
const open: SpooledOtlpExporter[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'spooled-otlp-'));
  backend = await new Backend().open();
});
afterEach(async () => {
  for (const exporter of open.splice(0)) await exporter.shutdown();
  await backend.leave();
  rmSync(folder, { recursive: true, force: true });
});

function make(options: Partial<SpooledOtlpExporterOptions> = {}) {
  const warnings: string[] = [];
  const exporter = new SpooledOtlpExporter({
    url: backend.url,
    env: {},
    timeoutMillis: 1_000,
    spool: { folder },
    onWarning: (text) => void warnings.push(text),
    ...options,
  });
  open.push(exporter);
  const send = (all: ReadableSpan[]) => new Promise<CountedResult>((resolve) => exporter.export(all, resolve));
  return { exporter, warnings, send };
}

function spans(from: number, to: number, attributes: Attributes = {}): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const tracer = new ObserverTracerProvider({ spanProcessors: [new SimpleSpanProcessor(memory)] }).getTracer('test');
  for (let i = from; i < to; i++) tracer.startSpan(`s${i}`, { attributes }).end();
  return memory.getFinishedSpans();
}
const names = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `s${from + i}`);

describe.each(['http/protobuf', 'http/json'] as const)('SpooledOtlpExporter in %s', (protocol) => {
  it('says that spans are exported when they are on disk, and flush waits until they are there', async () => {
    backend.status = 0;
    const { exporter, send } = make({ protocol, timeoutMillis: 300 });
    expect(await send(spans(0, 5))).toEqual({ code: 0 });
    expect(exporter.counts).toMatchObject({ sentSpans: 0, waitingSpans: 5 });
    backend.status = 200;
    await exporter.forceFlush();
    expect(backend.names).toEqual(names(0, 5));
    expect(exporter.counts).toMatchObject({ sentSpans: 5, waitingSpans: 0 });
  });

  it('keeps the order over a restart', async () => {
    await backend.leave();
    const first = make({ protocol });
    await first.send(spans(0, 3));
    await first.exporter.shutdown();
    await backend.open();
    const second = make({ protocol });
    await second.send(spans(3, 6));
    await second.exporter.forceFlush();
    expect(backend.names).toEqual(names(0, 6));
  });

  it('counts what it cut, and what cannot be written', async () => {
    const { exporter, send } = make({ protocol, maxRequestBytes: 20_000 });
    const broken = {
      spanContext() {
        throw new Error('hostile');
      },
    } as unknown as ReadableSpan;
    const { code, lost } = await send([...spans(0, 1, { text: 'x'.repeat(50_000) }), broken]);
    expect([code, lost]).toEqual([1, { unwritable: 1 }]);
    await exporter.forceFlush();
    expect(backend.names).toEqual(['s0']);
    expect(exporter.counts).toMatchObject({ cutSpans: 1, lostSpans: 1, lostByReason: { unwritable: 1 } });
  });
});

describe('a folder that cannot be used', () => {
  it('costs a warning, and spans go without it', async () => {
    const { exporter, warnings, send } = make({ spool: { folder: '/dev/null/spool' } });
    for (let i = 0; i < 3; i++) expect(await send(spans(i, i + 1))).toEqual({ code: 0 });
    await exporter.forceFlush();
    expect(backend.names).toEqual(names(0, 3));
    expect(warnings).toEqual([
      expect.stringMatching(/^the spool \/dev\/null\/spool cannot be used: .*; spans go without it/),
    ]);
    expect(exporter.counts).toMatchObject({ sentSpans: 3, lostSpans: 0 });
  });
});

it('stays where it is when the program goes to another folder', async () => {
  const before = process.cwd();
  try {
    process.chdir(folder);
    const { exporter, send } = make({ spool: { folder: 'spans' } });
    process.chdir(before);
    await send(spans(0, 1));
    await exporter.forceFlush();
    expect(readdirSync(folder)).toEqual(['spans']);
  } finally {
    process.chdir(before);
  }
});

it('after shutdown takes nothing, and says so', async () => {
  const { exporter, send } = make();
  await send(spans(0, 1));
  await exporter.shutdown();
  expect(await send(spans(1, 3))).toMatchObject({ code: 1, lost: { shutdown: 2 } });
});

const isRoot = process.getuid?.() === 0;
const canMount = isRoot && spawnSync('mount', ['--version']).status === 0;

describe.skipIf(!canMount)('a disk that is full', () => {
  let disk: string;
  let isMounted = false;
  beforeEach(({ skip }) => {
    disk = join(folder, 'disk');
    mkdirSync(disk);
    isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk]).status === 0;
    if (!isMounted) skip();
  });
  afterEach(() => {
    if (isMounted) spawnSync('umount', ['-l', disk]);
  });

  it('holds spans up until there is room, and loses none', async () => {
    await backend.leave();
    const { exporter, send } = make({ spool: { folder: join(disk, 'spool') } });
    const text = 'x'.repeat(2 ** 20);
    let answered = 0;
    const all = Array.from({ length: 20 }, (_, i) => send(spans(i, i + 1, { text })).then(() => answered++));
    await vi.waitFor(() => expect(answered).toBeGreaterThan(3), 5_000);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(answered).toBeLessThan(15);
    await backend.open();
    // What is sent gives its room back.
    await Promise.all(all);
    await exporter.forceFlush();
    expect([...new Set(backend.names)]).toEqual(names(0, 20));
    expect(exporter.counts).toMatchObject({ lostSpans: 0, waitingSpans: 0 });
  });

  it('holds up no shutdown', async () => {
    await backend.leave();
    const { exporter, send } = make({ spool: { folder: join(disk, 'spool') } });
    const text = 'x'.repeat(2 ** 20);
    const results: CountedResult[] = [];
    for (let i = 0; i < 20; i++) void send(spans(i, i + 1, { text })).then((result) => results.push(result));
    await vi.waitFor(() => expect(results.length).toBeGreaterThan(3), 5_000);
    const began = performance.now();
    await exporter.shutdown();
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(results).toHaveLength(20);
    expect(results.at(-1)).toMatchObject({ code: 1, lost: { shutdown: 1 } });
  });
});

describe('several processes', () => {
  /** Exports spans of the numbers given and says so. `kill`: stays until it is killed. `leave`: ends without a shutdown. */
  const PROGRAM = `
    import { ObserverTracerProvider } from './provider/observer-tracer-provider.js';
    import { SpooledOtlpExporter } from './exporters/spooled-otlp.js';
    const [url, folder, from, to, end] = process.argv.slice(2);
    const exporter = new SpooledOtlpExporter({ url, env: {}, spool: { folder }, onWarning: () => {} });
    const spans = [];
    const processor = { onStart() {}, onEnd: (span) => spans.push(span), forceFlush: async () => {}, shutdown: async () => {} };
    const tracer = new ObserverTracerProvider({ spanProcessors: [processor] }).getTracer('test');
    for (let i = Number(from); i < Number(to); i++) tracer.startSpan('s' + i).end();
    exporter.export(spans, async ({ code }) => {
      process.stdout.write(JSON.stringify({ code }) + '\\n');
      if (end === 'kill') setInterval(() => {}, 1000);
      if (end === 'shutdown') { await exporter.forceFlush(); await exporter.shutdown(); }
    });`;
  let programs: string;
  const children = new Set<ChildProcess>();
  beforeAll(async () => {
    programs = mkdtempSync(join(tmpdir(), 'spooled-program-'));
    const packages = fileURLToPath(new URL('../../..', import.meta.url));
    const entries: Record<string, string> = {
      '@hermes-observer/core': 'core/src/index.ts',
      '@hermes-observer/core/segments': 'core/src/segments.ts',
      '@hermes-observer/otel/spool': 'otel/src/spool.ts',
    };
    const bundle = await rolldown({
      input: 'program',
      platform: 'node',
      resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
      plugins: [
        {
          name: 'program',
          resolveId: (id, importer) => {
            if (id === 'program') return id;
            if (entries[id] !== undefined) return join(packages, entries[id]);
            return importer === 'program' ? join(packages, 'otel/src', id.replace(/\.js$/, '.ts')) : undefined;
          },
          load: (id) => (id === 'program' ? PROGRAM : undefined),
        },
      ],
    });
    await bundle.write({ dir: programs, entryFileNames: 'program.mjs' });
    await bundle.close();
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
  });
  afterAll(() => rmSync(programs, { recursive: true, force: true }));

  async function run(from: number, to: number, end: 'kill' | 'leave' | 'shutdown') {
    const args = [join(programs, 'program.mjs'), backend.url, folder, String(from), String(to), end];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    const ended = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    expect(JSON.parse(String(line))).toEqual({ code: 0 });
    return { child, ended };
  }

  it('share a folder, and what killed ones left is delivered by the next', async () => {
    await backend.leave();
    const killed = [await run(0, 10, 'kill'), await run(10, 20, 'kill'), await run(20, 30, 'kill')];
    expect(readdirSync(folder).sort()).toEqual(['0', '1', '2']);
    for (const { child, ended } of killed) {
      child.kill('SIGKILL');
      await ended;
    }
    await backend.open();
    const { exporter, send } = make();
    await send(spans(30, 31));
    await vi.waitFor(() => expect(backend.names).toHaveLength(31), 10_000);
    expect([...backend.names].sort()).toEqual(names(0, 31).sort());
    // Each part in its own order.
    for (const part of [0, 10, 20]) {
      const own = backend.names.filter((name) => Number(name.slice(1)) >= part && Number(name.slice(1)) < part + 10);
      expect(own).toEqual(names(part, part + 10));
    }
    await vi.waitFor(() => expect(exporter.counts).toMatchObject({ sentSpans: 31, waitingSpans: 0 }), 5_000);
  });

  it('are not kept alive by spans that wait', async () => {
    await backend.leave();
    const began = performance.now();
    const { ended } = await run(0, 5, 'leave');
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - began).toBeLessThan(5_000);
    await backend.open();
    const { ended: then } = await run(5, 6, 'shutdown');
    expect(await then).toEqual([0, null]);
    expect(backend.names).toEqual(names(0, 6));
  });
});

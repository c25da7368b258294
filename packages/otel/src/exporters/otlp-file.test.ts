import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attributes } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ObserverTracerProvider } from '../provider/observer-tracer-provider.js';
import { createResource } from '../provider/resource.js';
import { OtlpFileExporter, type OtlpFileExporterOptions } from './otlp-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'otlp-file-'));
  path = join(folder, 'spans.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface WrittenSpan {
  name: string;
  spanId: string;
  status: { code: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
  events: { attributes: { key: string; value: Record<string, unknown> }[] }[];
}

function makeSpans(...all: Attributes[]): ReadableSpan[] {
  const memory = new InMemorySpanExporter();
  const resource = createResource({ 'service.name': 'svc' });
  const provider = new ObserverTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(memory)] });
  all.forEach((attributes, i) => {
    const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: (i + 1).toString(16).padStart(16, '0') };
    const options = { ids, attributes, startTime: [1_790_000_000, i] as [number, number] };
    const span = provider.getTracer('test').startSpan(`span ${i}`, options);
    span.end([1_790_000_001, i]);
  });
  return memory.getFinishedSpans();
}

function run(options: Partial<OtlpFileExporterOptions>, ...batches: ReadableSpan[][]) {
  const exporter = new OtlpFileExporter({ path, ...options } as OtlpFileExporterOptions);
  const results = batches.map((batch) => exportNow(exporter, batch));
  return { exporter, results };
}

function exportNow(exporter: OtlpFileExporter, spans: ReadableSpan[]) {
  let result: { code: number; error?: Error } | undefined;
  exporter.export(spans, (given) => {
    result = given;
  });
  return result;
}

const lines = () => readFileSync(path, 'utf8').split('\n').slice(0, -1);
const spansOf = (line: string): WrittenSpan[] =>
  JSON.parse(line).resourceSpans.flatMap((r: { scopeSpans: { spans: WrittenSpan[] }[] }) =>
    r.scopeSpans.flatMap(({ spans }) => spans),
  );
const values = (span: WrittenSpan | undefined) =>
  Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, value]));

describe('OtlpFileExporter', () => {
  it('writes each batch as one line, as the OTLP/JSON serializer gives it', async () => {
    const spans = makeSpans({ a: 1, b: 'x', c: [true], d: 1.5 }, { e: '😀\n"' }, {});
    const { exporter, results } = run({}, spans.slice(0, 2), spans.slice(2));
    await exporter.shutdown();
    expect(results).toEqual([{ code: 0 }, { code: 0 }]);
    expect(lines()).toEqual(
      [spans.slice(0, 2), spans.slice(2)].map((batch) =>
        Buffer.from(JsonTraceSerializer.serializeRequest(batch) ?? []).toString(),
      ),
    );
    expect([exporter.writtenSpans, exporter.lostSpans]).toEqual([3, 0]);
  });

  it('writes a file anew, or appends to it', () => {
    const spans = makeSpans({});
    run({}, spans);
    run({}, spans);
    expect(lines()).toHaveLength(1);
    run({ append: true }, spans);
    expect(lines()).toHaveLength(2);
    expect(lines()[0]).toBe(lines()[1]);
  });

  it('leaves an open file descriptor open', async () => {
    const fd = openSync(path, 'w');
    const first = new OtlpFileExporter({ fd });
    exportNow(first, makeSpans({}));
    await first.shutdown();
    expect(exportNow(new OtlpFileExporter({ fd }), makeSpans({}))).toEqual({ code: 0 });
    expect(lines()).toHaveLength(2);
  });

  it('makes an empty file when it is opened and no span comes', async () => {
    const exporter = new OtlpFileExporter({ path });
    exporter.open();
    await exporter.shutdown();
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  it('writes nothing for an empty batch', () => {
    expect(run({}, []).results).toEqual([{ code: 0 }]);
    expect(readFileSync(path, 'utf8')).toBe('');
  });
});

describe('numbers that OTLP/JSON cannot hold', () => {
  it('become strings, in attributes, events, links and the resource', () => {
    const resource = createResource({ n: Number.NaN, ok: 1 });
    const memory = new InMemorySpanExporter();
    const provider = new ObserverTracerProvider({ resource, spanProcessors: [new SimpleSpanProcessor(memory)] });
    const attributes = {
      nan: Number.NaN,
      inf: Number.NEGATIVE_INFINITY,
      big: 1e21,
      list: [1, 2 ** 60],
      ok: 5,
      frac: 1e-9,
    };
    const span = provider.getTracer('t').startSpan('s', { attributes });
    span.addEvent('e', { nan: Number.NaN });
    span.addLink({ context: span.spanContext(), attributes: { big: -1e300 } });
    span.end();
    provider.getTracer('t').startSpan('second').end();
    run({}, memory.getFinishedSpans());
    const [line = ''] = lines();
    const [first] = spansOf(line);
    expect(values(first)).toEqual({
      nan: { stringValue: 'NaN' },
      inf: { stringValue: '-Infinity' },
      big: { stringValue: '1e+21' },
      list: { arrayValue: { values: [{ stringValue: '1' }, { stringValue: String(2 ** 60) }] } },
      ok: { intValue: 5 },
      frac: { doubleValue: 1e-9 },
    });
    expect(JSON.stringify(first?.events)).toContain('"stringValue":"NaN"');
    expect(line).toContain('{"key":"big","value":{"stringValue":"-1e+300"}}');
    expect(line).not.toMatch(/"(?:intValue":-?\d*[^\d,}-]|doubleValue":null)/);
    expect(JSON.parse(line).resourceSpans).toHaveLength(1);
    expect(JSON.parse(line).resourceSpans[0].resource.attributes[0].value).toEqual({ stringValue: 'NaN' });
  });
});

it.each([
  ['an attribute', Number.NaN],
  ['an array', [Number.POSITIVE_INFINITY]],
  ['a negative integer', -(2 ** 53)],
])('a span with only one unsafe number, in %s, is mended as well', (_kind, value) => {
  run({}, makeSpans({ value }));
  expect(lines()[0]).toContain(`"stringValue":"${String(Array.isArray(value) ? value[0] : value)}"`);
});

describe('maxLineBytes', () => {
  const maxLineBytes = 4096;

  it('counts the newline, and not one byte more', () => {
    const spans = makeSpans({ text: 'x'.repeat(5000) });
    const bytes = (JsonTraceSerializer.serializeRequest(spans)?.length ?? 0) + 1;
    run({ maxLineBytes: bytes }, spans);
    expect(readFileSync(path)).toHaveLength(bytes);
    run({ maxLineBytes: bytes - 1 }, spans);
    expect(lines()[0]).toContain('hermes.export.cut');
  });

  it('splits a batch, in order, into lines within the limit', () => {
    const spans = makeSpans(...Array.from({ length: 50 }, (_, i) => ({ text: 'x'.repeat((i * 37) % 900) })));
    const { exporter } = run({ maxLineBytes }, spans);
    expect(lines().length).toBeGreaterThan(5);
    for (const line of lines()) expect(Buffer.byteLength(line) + 1).toBeLessThanOrEqual(maxLineBytes);
    expect(
      lines()
        .flatMap(spansOf)
        .map(({ name }) => name),
    ).toEqual(spans.map(({ name }) => name));
    expect([exporter.writtenSpans, exporter.lostSpans]).toEqual([50, 0]);
  });

  it.each([
    ['ascii', 'x'],
    ['escapes', '"\\\n\u0001'],
    ['two, three and four bytes', 'é漢😀'],
    ['lone surrogates', '\ud800'],
  ])('cuts the largest strings of a span that is too long alone: %s', (_kind, text) => {
    const long = text.repeat(3000);
    const spans = makeSpans({ before: 1 }, { long, list: ['short', long], small: 'kept' }, { after: 1 });
    const { exporter, results } = run({ maxLineBytes }, spans);
    expect(results).toEqual([{ code: 0 }]);
    const written = lines().flatMap(spansOf);
    expect(written.map(({ name }) => name)).toEqual(['span 0', 'span 1', 'span 2']);
    const cut = values(written[1]);
    expect(cut['hermes.export.cut']).toEqual({ boolValue: true });
    expect(cut.small).toEqual({ stringValue: 'kept' });
    const [kept = '', mark] = String(cut.long?.stringValue).split('…');
    expect([long.startsWith(kept), mark]).toEqual([true, `[+${long.length - kept.length} chars]`]);
    const line = lines().find((one) => one.includes('hermes.export.cut')) ?? '';
    const bytes = Buffer.byteLength(line) + 1;
    expect(bytes).toBeLessThanOrEqual(maxLineBytes);
    // Nearly all of the room is used: the cut is not a guess.
    expect(bytes).toBeGreaterThan(maxLineBytes - 250);
    expect(exporter.lostSpans).toBe(0);
  });

  it('keeps a span whose size is not in its strings, without its attributes', () => {
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`key-${'k'.repeat(40)}-${i}`, i]));
    const { exporter } = run({ maxLineBytes }, makeSpans(many));
    const [span] = lines().flatMap(spansOf);
    expect(values(span)).toEqual({ 'hermes.export.cut': { boolValue: true } });
    expect(span).toMatchObject({ name: 'span 0', droppedAttributesCount: 120 });
    expect(exporter.lostSpans).toBe(0);
  });

  it('is at least 4 KiB', () => {
    expect(() => new OtlpFileExporter({ path, maxLineBytes: 100 })).toThrowError(
      expect.objectContaining({ code: 'HO_OPTION' }),
    );
  });
});

describe('what goes wrong', () => {
  const broken = (span: ReadableSpan): ReadableSpan =>
    Object.create(span, {
      attributes: {
        get: () => {
          throw new Error('broken');
        },
      },
    });

  it.each([
    ['a folder that does not exist', () => join(folder, 'none', 'x.jsonl')],
    ['a folder', () => folder],
    ['a full disk', () => '/dev/full'],
  ])('is told by the callback, and counted: %s', (_kind, where) => {
    const target = where();
    const { exporter, results } = run({ path: target }, makeSpans({}, {}), makeSpans({}));
    expect(results).toHaveLength(2);
    for (const result of results) {
      expect(result).toMatchObject({ code: 1, error: { code: 'HO_OUTPUT_UNWRITABLE' } });
      expect(result?.error?.message).toContain(target);
    }
    expect([exporter.writtenSpans, exporter.lostSpans]).toEqual([0, 3]);
  });

  it('is thrown by open()', () => {
    const exporter = new OtlpFileExporter({ path: folder });
    expect(() => exporter.open()).toThrowError(expect.objectContaining({ code: 'HO_OUTPUT_UNWRITABLE' }));
  });

  it('costs a broken span only itself', () => {
    const [first, second, third] = makeSpans({ a: 1 }, { a: 2 }, { a: 3 }) as [
      ReadableSpan,
      ReadableSpan,
      ReadableSpan,
    ];
    const { exporter, results } = run({}, [first, broken(second), third]);
    expect(results).toMatchObject([{ code: 1, error: { code: 'HO_EXPORT_FAILED' } }]);
    expect(
      lines()
        .flatMap(spansOf)
        .map(({ name }) => name),
    ).toEqual(['span 0', 'span 2']);
    expect([exporter.writtenSpans, exporter.lostSpans]).toEqual([2, 1]);
  });

  it('is an export after shutdown', async () => {
    const { exporter } = run({}, makeSpans({}));
    await exporter.shutdown();
    expect(exportNow(exporter, makeSpans({}))).toMatchObject({ code: 1, error: { code: 'HO_EXPORT_FAILED' } });
    expect(exporter.lostSpans).toBe(1);
    expect(lines()).toHaveLength(1);
  });

  it('is not a reader slower than the writer', async () => {
    // The reader writes to a file: while this process waits for it, it could not take what the reader prints.
    const reader = spawn('sh', ['-c', 'sleep 0.2; cat > "$0"', path], { stdio: ['pipe', 'ignore', 'inherit'] });
    const { fd } = (reader.stdin as unknown as { _handle: { fd: number } })._handle;
    const text = Array.from({ length: 300_000 }, (_, i) => i).join();
    const spans = makeSpans({ text });
    expect(exportNow(new OtlpFileExporter({ fd }), spans)).toEqual({ code: 0 });
    reader.stdin.end();
    await once(reader, 'close');
    expect(values(spansOf(lines()[0] ?? '')[0]).text?.stringValue === text).toBe(true);
  });
});

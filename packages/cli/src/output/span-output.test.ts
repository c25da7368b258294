import { readFileSync } from 'node:fs';
import { parseRecord } from '@hermes-observer/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { demoPath } from '../commands/demo.js';
import { SpanOutput } from './span-output.js';

afterEach(() => void vi.useRealTimers());

const LINES = readFileSync(demoPath('c-parallel-tools.ndjson'), 'utf8').trim().split('\n');

/** Answers when the test says so. */
class SlowExporter implements SpanExporter {
  spans = 0;
  answer: (code: number) => void = () => {};
  closing: Promise<void> = Promise.resolve();
  export(spans: ReadableSpan[], done: (result: { code: number }) => void): void {
    this.spans += spans.length;
    this.answer = (code) => done({ code });
  }
  shutdown(): Promise<void> {
    return this.closing;
  }
}

async function filled(exporter: SpanExporter): Promise<SpanOutput> {
  const output = await SpanOutput.create({ exporters: [exporter] });
  for (const line of LINES) {
    const { record } = parseRecord(line);
    if (record !== undefined) output.bridge.handleRecord(record);
  }
  return output;
}

const turns = async () => {
  for (let i = 0; i < 50; i++) await Promise.resolve();
};

describe('close', () => {
  it('waits for an export that takes longer than a flush of a provider may', async () => {
    vi.useFakeTimers();
    const exporter = new SlowExporter();
    const output = await filled(exporter);
    let closed = false;
    const closing = output.close().then(() => {
      closed = true;
    });
    await vi.advanceTimersByTimeAsync(120_000);
    expect([closed, exporter.spans, output.writtenSpans]).toEqual([false, 6, 0]);
    exporter.answer(0);
    await closing;
    expect([output.writtenSpans, output.faults]).toEqual([6, []]);
  });

  it('tells of every span that was made and not delivered', async () => {
    const exporter = new SlowExporter();
    const output = await filled(exporter);
    const closing = output.close();
    await turns();
    exporter.answer(1);
    await closing;
    expect(output.faults.map(({ message }) => message)).toEqual([
      expect.stringContaining('The exporter gave no reason'),
      '6 spans were not delivered to an exporter',
    ]);
  });

  it('tells of an output that could not be closed, once all spans are in it', async () => {
    const exporter = new SlowExporter();
    const output = await filled(exporter);
    exporter.closing = Promise.reject(new Error('no room'));
    exporter.closing.catch(() => {});
    const closing = output.close();
    await turns();
    exporter.answer(0);
    await closing;
    expect(output.faults.map(({ message }) => message)).toEqual(['an exporter: no room']);
  });
});

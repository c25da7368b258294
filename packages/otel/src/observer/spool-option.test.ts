import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Backend } from '../spool/backend.test-support.js';
import { createObserver } from './create-observer.js';
import type { Observer } from './observer.js';
import type { ObserverOptions } from './options.js';

let folder: string;
let backend: Backend;
const open: Observer[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'spool-option-'));
  backend = await new Backend().open();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((observer) => observer.shutdown(500)));
  await backend.leave();
  rmSync(folder, { recursive: true, force: true });
});

function make(options: ObserverOptions = {}) {
  const warnings: string[] = [];
  const observer = createObserver({
    spool: { folder },
    env: {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: backend.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    },
    onWarning: (text) => void warnings.push(text),
    ...options,
  });
  open.push(observer);
  return { observer, warnings };
}

function turn({ hub }: Observer, turn_id: string) {
  hub.emit('pre_llm_call', { session_id: turn_id, turn_id });
  hub.emit('on_session_end', { session_id: turn_id, turn_id, completed: true });
}

describe('spool', () => {
  it('sends spans on, and its counts say so', async () => {
    const { observer, warnings } = make();
    turn(observer, 'a');
    await observer.flush();
    expect(backend.names).toEqual(['invoke_agent hermes']);
    expect(observer.counts).toMatchObject({ exportedSpans: 1, failedSpans: 0, cutSpans: 0, retries: 0 });
    expect(observer.counts.spool).toMatchObject({ sentSpans: 1, waitingSpans: 0, lostSpans: 0 });
    expect(warnings).toEqual([]);
  });

  it('keeps them while nobody answers, and nothing counts as failed, whatever the time of an export', async () => {
    await backend.leave();
    const env = {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: backend.url,
      OTEL_BSP_EXPORT_TIMEOUT: '1',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    };
    const first = make({ env });
    for (let i = 0; i < 20; i++) turn(first.observer, `t${i}`);
    await first.observer.shutdown();
    expect(first.observer.counts).toMatchObject({ exportedSpans: 20, failedSpans: 0 });
    expect(first.observer.counts.spool).toMatchObject({ waitingSpans: 20, lostSpans: 0 });
    expect(first.warnings).toEqual([expect.stringContaining('spans wait until it takes them')]);
    await backend.open();
    const second = make();
    await vi.waitFor(() => expect(backend.names).toHaveLength(20), 5_000);
    // The answer is on its way when the backend has them.
    await vi.waitFor(() => expect(second.observer.counts.spool).toMatchObject({ sentSpans: 20 }));
  });

  it('that cannot be used is told of, and spans go without it', async () => {
    const { observer, warnings } = make({ spool: { folder: '/dev/null/no' } });
    turn(observer, 'a');
    await observer.flush();
    expect(backend.names).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining('the spool /dev/null/no cannot be used')]);
  });

  it('tells how many it lost', async () => {
    backend.status = 400;
    const { observer, warnings } = make();
    turn(observer, 'a');
    await observer.flush();
    expect(observer.counts.spool?.lostByReason).toEqual({ refused: 1 });
    expect(warnings).toContain('1 span was lost from the spool: refused 1');
  });

  it.each<[string, unknown]>([
    ['folder', {}],
    ['folder', { folder: '' }],
    ['maxBytes', { folder: 'x', maxBytes: 0 }],
    ['maxAgeMillis', { folder: 'x', maxAgeMillis: Number.NaN }],
    ['maxByte', { folder: 'x', maxByte: 5 }],
    ['spool', 'folder'],
  ])('is refused where %s is wrong', (name, spool) => {
    expect(() => createObserver({ spool: spool as never, env: {} })).toThrow(
      expect.objectContaining({ code: 'HO_OPTION', message: expect.stringContaining(name) }),
    );
  });

  it('is refused beside exporters, which it would not reach', () => {
    expect(() => createObserver({ spool: { folder }, exporters: [], env: {} })).toThrow(/SpooledOtlpExporter/);
  });
});

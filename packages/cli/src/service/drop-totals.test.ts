import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DropTotals } from './drop-totals.js';
import type { Count } from './ports.js';
import { batch, recording, replayed, Scene, until } from './scene.test-support.js';
import { Sink } from './sink.test-support.js';

let scene: Scene;
let sink: Sink;
beforeEach(async () => {
  scene = new Scene();
  sink = await new Sink().open();
});
afterEach(async () => {
  await scene.end();
  await sink.close();
});

const open = () => scene.open({ exporters: [{ kind: 'http', name: 'sink', url: sink.url }] });
const LINES = recording('n-delegate-nested-sync');
const value = (name: string, labels: Record<string, string>) =>
  scene.service
    ?.counts()
    .find((count) => count.name === name && Object.entries(labels).every(([key, of]) => count.labels?.[key] === of))
    ?.value;
const everOf = (what: string, more: Record<string, string> = {}) => value('lifetime_drops', { what, ...more });
const dropped = (seq: number, count: number) =>
  JSON.stringify({
    hook: 'observer_dropped',
    time_unix_nano: '1764450000000000000',
    producer: 'p',
    seq,
    payload: { count, reason: 'queue_full' },
  });

describe('what was given up', () => {
  it('is known over restarts, apart from what was since the start, and nothing counts twice', async () => {
    sink.react = (_, response) => {
      response.writeHead(422).end();
      return 'handled';
    };
    const lost = replayed(LINES).length;
    for (let start = 1; start <= 3; start++) {
      const service = await open();
      if (start === 1) await service.take(batch(LINES));
      await service.take(batch([dropped(start, 10)]));
      service.refused(2, 'HO_RECORD_SHAPE');
      await until(() => value('lost_spans', { reason: 'refused' }) === (start === 1 ? lost : 0));
      await service.settled();
      expect(everOf('lost_spans', { reason: 'refused', exporter: 'sink' })).toBe(lost);
      expect([value('malformed_lines', {}), everOf('malformed_lines')]).toEqual([2, 2 * start]);
      expect(value('producer_dropped_records', { reason: 'queue_full' })).toBe(10);
      expect(everOf('producer_dropped_records', { reason: 'queue_full' })).toBe(10 * start);
      expect(service.producers().find(({ producer }) => producer === 'p')).toMatchObject({
        records: start,
        dropped: { queue_full: 10 * start },
      });
      await service.stop();
    }
  });

  it('is exact also after a crash: what came since the checkpoint is counted once', async () => {
    const service = await open();
    await service.take(batch([...LINES, dropped(1, 5)]));
    await service.settled();
    await until(() => existsSync(join(scene.folder, 'service', 'checkpoint.json')));
    const before = readFileSync(join(scene.folder, 'service', 'checkpoint.json'));
    await service.take(batch([dropped(2, 7)]));
    await service.stop();
    // The checkpoint of before these records: as if the service had been killed.
    writeFileSync(join(scene.folder, 'service', 'checkpoint.json'), before);
    const again = await open();
    await again.settled();
    expect(everOf('producer_dropped_records')).toBe(12);
    expect(again.producers().find(({ producer }) => producer === 'p')?.records).toBe(2);
  });

  it('by damage of the journal is counted, told, and only what was hit is missing', async () => {
    const service = await scene.open();
    const turn = (n: number) =>
      ['pre_llm_call', 'on_session_end'].map((hook) =>
        JSON.stringify({
          hook,
          time_unix_nano: '1764450000000000000',
          payload: { session_id: `s${n}`, turn_id: `t${n}`, completed: true },
        }),
      );
    for (let n = 0; n < 5; n++) await service.take(batch(turn(n)));
    await service.stop();
    const folder = join(scene.folder, 'service', 'journal');
    const path = join(folder, readdirSync(folder).find((name) => name.endsWith('.seg')) ?? '');
    const bytes = readFileSync(path);
    const at = bytes.indexOf('"t2"');
    bytes[at + 1] = (bytes[at + 1] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    // As if nothing had been traced yet.
    for (const name of ['checkpoint.json', 'checkpoint.before.json']) {
      if (existsSync(join(scene.folder, 'service', name))) writeFileSync(join(scene.folder, 'service', name), '');
    }
    for (let start = 0; start < 2; start++) {
      const again = await open();
      await again.settled();
      // Of the turn whose begin is gone there is no span.
      await until(() => sink.spans.size === 4);
      expect([value('lost_records', {}), everOf('lost_records')]).toEqual([start === 0 ? 1 : 0, 1]);
      expect(value('journal_damaged_bytes', {})).toBeGreaterThan(50);
      expect(scene.warnings.filter((text) => text.includes('record 4 is lost'))).toHaveLength(start + 1);
      await again.stop();
    }
  });

  it('is of a bounded number of names and reasons; the rest is added up', () => {
    const counts: Count[] = Array.from({ length: 1_000 }, (_, i) => ({
      name: 'malformed_lines',
      help: '',
      value: 2,
      labels: { reason: `r${i}` },
    }));
    const totals = new DropTotals(() => counts, new DropTotals(() => counts).save());
    const all = totals.counts();
    expect(all.length).toBeLessThanOrEqual(257);
    expect(all.reduce((sum, count) => sum + count.value, 0)).toBe(4_000);
    expect(totals.sum).toBe(4_000);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asAnother, batch, recording, replayed, Scene, until } from './scene.test-support.js';
import { Sink, spansOf } from './sink.test-support.js';

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

const toSink = () => [{ kind: 'http', name: 'sink', url: sink.url } as const];

describe('a service', () => {
  it.each([
    'b-two-sequential-tools',
    'k-delegate-one-child-sync',
    'n-delegate-nested-sync',
    'p7-smart-approval-escalated-tui',
    't-two-concurrent-agents-threads',
    'w-volume-30-turns-tui',
  ])('gives the spans that a replay gives: %s', async (name) => {
    const lines = recording(name);
    const service = await scene.open({ exporters: toSink() });
    for (let i = 0; i < lines.length; i += 7) await service.take(batch(lines.slice(i, i + 7)));
    await service.settled();
    const expected = replayed(lines);
    await until(() => sink.spans.size >= expected.length);
    expect(sink.sorted()).toEqual(expected);
    expect(sink.taken).toBe(expected.length);
  });

  it('has nothing that waits in its counts only once every span is sent', async () => {
    const lines = recording('b-two-sequential-tools');
    const service = await scene.open({ exporters: toSink() });
    const value = (name: string) => service.counts().find((count) => count.name === name)?.value ?? 0;
    const expected = replayed(lines).length;
    for (let round = 1; round <= 20; round++) {
      await service.take(batch(asAnother(lines, `-${round}`)));
      while (['spool_spans', 'journal_lag_records', 'open_traces'].some((name) => value(name) > 0)) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(value('exported_spans')).toBe(round * expected);
    }
  });

  it('writes the same to a file', async () => {
    const lines = recording('b-two-sequential-tools');
    const path = join(scene.folder, 'spans.jsonl');
    const service = await scene.open({ exporters: [{ kind: 'file', name: 'file', path }] });
    await service.take(batch(lines));
    await service.stop();
    const written = readFileSync(path, 'utf8').trim().split('\n');
    const spans = written.flatMap(spansOf).map((span) => JSON.stringify(span));
    expect(spans.sort()).toEqual(replayed(lines, { kind: 'file' }));
  });

  it('acknowledges each producer by its highest number, and a record that comes again once more', async () => {
    const lines = recording('t-two-concurrent-agents-threads');
    const service = await scene.open({ exporters: toSink() });
    const acks = await service.take(batch(lines));
    const highest = new Map<string, number>();
    for (const { producer, seq } of batch(lines).records) {
      if (producer !== undefined) highest.set(producer, Math.max(highest.get(producer) ?? 0, seq ?? 0));
    }
    expect(new Map(acks.map(({ producer, seq }) => [producer, seq]))).toEqual(highest);
    expect(await service.take(batch(lines.slice(0, 20)))).toHaveLength(acks.length);
    await service.settled();
    const value = (name: string) => service.counts().find((count) => count.name === name)?.value;
    expect([value('records'), value('duplicate_records')]).toEqual([lines.length, 20]);
  });

  it('goes on after a stop in the middle of turns, as if nothing had been', async () => {
    const lines = [
      ...recording('m-background-delegation-one-child-tui'),
      ...asAnother(recording('q-two-turns-then-close-and-new'), 'x'),
      ...recording('t-two-concurrent-agents-threads'),
    ];
    for (let at = 0; at < lines.length; at += 61) {
      const service = await scene.open({ exporters: toSink() });
      await service.take(batch(lines.slice(at, at + 61)));
      await service.stop();
    }
    const expected = replayed(lines);
    expect(sink.sorted()).toEqual(expected);
    expect(sink.taken).toBe(expected.length);
  });

  it('makes spans where nothing is exported, and does not warn of it: the start says so', async () => {
    const service = await scene.open();
    await service.take(batch(recording('b-two-sequential-tools')));
    await service.settled();
    expect(scene.warnings).toEqual([]);
    expect(service.counts().find(({ name }) => name === 'spans')?.value).toBeGreaterThan(3);
  });

  it.each([
    ['a target that is the service itself', { url: 'http://localhost:4890/v1/traces' }],
    ['an address that is none', { url: 'localhost' }],
    ['a name for a path', { name: '../x', url: 'http://h/v1/traces' }],
  ])('refuses %s', async (_, target) => {
    const exporters = [{ kind: 'http', name: 'a', ...target } as const];
    await expect(scene.open({ exporters, ownAddresses: ['127.0.0.1:4890'] })).rejects.toMatchObject({
      code: 'HO_OPTION',
    });
  });

  it('has its folder for itself', async () => {
    const service = await scene.open();
    const other = new Scene();
    await expect(other.open({ dataFolder: scene.folder })).rejects.toMatchObject({ code: 'HO_STORE_LOCKED' });
    await other.end();
    await service.stop();
    await expect(service.take(batch(recording('b-two-sequential-tools')))).rejects.toMatchObject({
      code: 'HO_SERVICE_STOPPING',
    });
  });
});

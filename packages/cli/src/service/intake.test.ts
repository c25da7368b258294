import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportTarget } from './options.js';
import { asAnother, batch, recording, replayed, Scene, until } from './scene.test-support.js';
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

const toSink = (): ExportTarget[] => [{ kind: 'http', name: 'sink', url: sink.url }];
const line = (hook: string, payload: object, seq?: number, producer = 'p') =>
  JSON.stringify({ hook, time_unix_nano: '1764450000000000000', ...(seq ? { seq, producer } : {}), payload });
const value = (name: string) => scene.service?.counts().find((count) => count.name === name)?.value;

/** What the journal holds, as text. */
function journalText(folder = scene.folder): string {
  const path = join(folder, 'service', 'journal');
  return readdirSync(path)
    .filter((name) => name.endsWith('.seg'))
    .map((name) => readFileSync(join(path, name), 'latin1'))
    .join('');
}

describe('intake', () => {
  it('knows after a restart what it has taken', async () => {
    const lines = recording('n-delegate-nested-sync');
    const service = await scene.open({ exporters: toSink() });
    await service.take(batch(lines.slice(0, 40)));
    await service.stop();
    const again = await scene.open({ exporters: toSink() });
    await again.take(batch(lines));
    await again.settled();
    expect([value('records'), value('duplicate_records')]).toEqual([lines.length - 40, 40]);
    await until(() => sink.spans.size === replayed(lines).length);
    expect(sink.sorted()).toEqual(replayed(lines));
  });

  it('takes records without producer or number, and acknowledges none of them', async () => {
    const service = await scene.open({ exporters: toSink() });
    const lines = [line('pre_tool_call', { tool_name: 'x' }), line('post_tool_call', { tool_name: 'x', status: 'ok' })];
    expect(await service.take(batch(lines))).toEqual([]);
    expect(await service.take(batch(lines))).toEqual([]);
    await until(() => sink.spans.size === 2);
    expect(sink.sorted()).toEqual(replayed([...lines, ...lines]));
  });

  it('tells of records without a producer as of one without a name, also over restarts', async () => {
    const lines = [line('pre_tool_call', { tool_name: 'x' }), line('post_tool_call', { tool_name: 'x', status: 'ok' })];
    await (await scene.open()).take(batch(lines));
    await scene.service?.stop();
    for (const records of [2, 4]) {
      const again = await scene.open();
      const hooks = ['post_tool_call', 'pre_tool_call'];
      expect(again.producers()).toMatchObject([{ producer: '', records, missing: 0, hooks }]);
      await again.take(batch(lines));
      await again.stop();
    }
  });

  it('marks the traces of a producer whose records are missing, and counts these', async () => {
    const service = await scene.open({ exporters: toSink() });
    const turn = (id: string) => ({ turn_id: id, session_id: 's', completed: true });
    await service.take(
      batch([
        line('pre_llm_call', turn('a'), 1),
        line('on_session_end', turn('a'), 5),
        line('pre_llm_call', turn('b'), 6),
        line('on_session_end', turn('b'), 7),
      ]),
    );
    await until(() => sink.spans.size === 2);
    const marks = sink.sorted().map((span) => /missing_records","value":\{"intValue":(\d+)/.exec(span)?.[1]);
    expect(marks.sort()).toEqual(['3', undefined]);
    expect(service.producers()).toMatchObject([
      { producer: 'p', records: 4, missing: 3, hooks: ['on_session_end', 'pre_llm_call'] },
    ]);
    expect(value('missing_records')).toBe(3);
  });

  it('keeps what a producer says of itself, and what it gave up, also over a restart', async () => {
    const service = await scene.open({ exporters: toSink() });
    const hello = { protocol: 1, capture: 'none', pid: 7, hooks: ['pre_llm_call'], host: 'h' };
    await service.take(
      batch([
        line('observer_hello', hello, 1),
        line('observer_dropped', { count: 3, reason: 'queue_full' }, 2),
        line('observer_dropped', { count: 2, reason: 'queue_full' }, 3),
      ]),
    );
    await service.stop();
    const again = await scene.open({ exporters: toSink() });
    expect(again.producers()).toMatchObject([{ producer: 'p', hello, records: 3, dropped: { queue_full: 5 } }]);
    expect(again.counts()).toContainEqual(
      expect.objectContaining({
        name: 'lifetime_drops',
        value: 5,
        labels: { what: 'producer_dropped_records', reason: 'queue_full' },
      }),
    );
  });

  it('keeps no content of a producer that said it sends none', async () => {
    const service = await scene.open({ exporters: toSink(), capture: 'full' });
    await service.take(batch([line('observer_hello', { capture: 'none' }, 1)]));
    const said = {
      turn_id: 't',
      session_id: 's',
      user_message: 'a secret',
      tool_name: 'x',
      args: { path: 'a secret' },
    };
    await service.take(
      batch([line('pre_llm_call', said, 2), line('pre_tool_call', { ...said, tool_call_id: 'c' }, 3)]),
    );
    await service.take(batch([line('post_tool_call', { ...said, tool_call_id: 'c', result: 'a secret' }, 4)]));
    await service.take(batch([line('on_session_end', { turn_id: 't', completed: true }, 5)]));
    await until(() => sink.spans.size === 2);
    expect(journalText()).toContain('tool_call_id');
    expect(`${journalText()}${sink.sorted()}`).not.toContain('secret');
    expect(value('narrowed_records')).toBe(3);
    expect(scene.warnings.filter((text) => text.includes('send it as none'))).toHaveLength(1);
  });

  it('tells of its producers within a bound, whatever they call themselves', async () => {
    const service = await scene.open({ exporters: [] });
    const lines = Array.from({ length: 900 }, (_, i) => {
      const record = {
        hook: `${'h'.repeat(2_000)}${i}`,
        time_unix_nano: '1',
        producer: `${'p'.repeat(2_000)}${i}`,
        seq: 1,
      };
      return JSON.stringify({ ...record, payload: {} });
    });
    await service.take(batch(lines));
    const told = service.producers();
    expect(told.length).toBeGreaterThan(100);
    expect(JSON.stringify(told).length).toBeLessThan(500_000);
  });

  it.each([
    ['none', undefined, []],
    ['redacted', undefined, ['[redacted', 'plain words']],
    ['full', undefined, ['sk-ant-api03-', 'plain words']],
    ['full', 'redacted', ['[redacted', 'plain words']],
    ['redacted', 'full', ['[redacted', 'plain words']],
  ] as const)('keeps as much content as is captured: %s here, %s there', async (capture, hello, kept) => {
    const service = await scene.open({ exporters: [], capture });
    if (hello !== undefined) await service.take(batch([line('observer_hello', { capture: hello }, 1)]));
    const key = `sk-ant-api03-${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3vW5xY7zA9bC1dE3fG5h'}-AA`;
    const said = { turn_id: 't', tool_name: 'x', tool_call_id: 'c', args: { text: `plain words ${key}` } };
    await service.take(batch([line('post_tool_call', { ...said, result: JSON.stringify({ status: 'ok', key }) }, 2)]));
    const text = journalText();
    expect(text).toContain('tool_call_id');
    expect(text.includes(key)).toBe((kept as readonly string[]).includes('sk-ant-api03-'));
    for (const part of kept) expect(text).toContain(part);
    if (kept.length === 0) expect(text).not.toContain('plain words');
  });

  it('says that it is paused while much waits for the disk, and that it is not', async () => {
    const service = await scene.open({ exporters: [], capture: 'full' });
    const told: boolean[] = [];
    service.onPause((isPaused) => told.push(isPaused));
    const large = 'x'.repeat(4 * 2 ** 20);
    const taken = [];
    for (let seq = 1; seq <= 10; seq++)
      taken.push(service.take(batch([line('on_stream_delta', { text: large }, seq)])));
    expect(service.isPaused).toBe(true);
    await Promise.all(taken);
    await until(() => !service.isPaused);
    expect(told).toEqual([true, false]);
  });

  it('refuses, and deletes nothing that is needed, when the journal is at its limit', async () => {
    const service = await scene.open({ exporters: [], journal: { maxBytes: 200_000 } });
    const open = recording('b-two-sequential-tools').slice(0, 3);
    await service.take(batch(open));
    let refused: unknown;
    for (let round = 0; round < 200 && refused === undefined; round++) {
      const lines = asAnother(recording('c-parallel-tools').slice(0, 3), `x${round}`);
      refused = await service.take(batch(lines)).then(
        () => undefined,
        (error: unknown) => error,
      );
    }
    expect(refused).toMatchObject({ code: 'HO_STORE_FULL' });
    expect([service.isPaused, service.isReady]).toEqual([true, false]);
    expect(journalText()).toContain(JSON.parse(open[0] ?? '').producer);
  });
});

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('on a disk that is full', () => {
  let disk: string;
  beforeEach(() => {
    disk = mkdtempSync(join(tmpdir(), 'small-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk]);
  });
  afterEach(async () => {
    await scene.service?.stop(1_500);
    execFileSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true });
  });

  it('nothing that was acknowledged is lost, and it goes on when there is room', async () => {
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(9 * 2 ** 20));
    const service = await scene.open({
      dataFolder: join(disk, 'data'),
      exporters: toSink(),
      journal: { history: 'off' },
    });
    const all = recording('w-volume-30-turns-tui');
    const lines: string[] = [];
    for (let round = 0; round < 8; round++) lines.push(...asAnother(all, `x${round}`));
    let at = 0;
    let refusals = 0;
    const end = performance.now() + 25_000;
    while (at < lines.length && performance.now() < end) {
      try {
        await service.take(batch(lines.slice(at, at + 200)));
        at += 200;
      } catch (error) {
        expect(error).toMatchObject({ code: 'HO_STORE_FULL' });
        if (++refusals === 2) rmSync(join(disk, 'ballast'));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    expect(refusals).toBeGreaterThan(0);
    expect(at).toBeGreaterThanOrEqual(lines.length);
    const expected = replayed(lines);
    await until(() => sink.spans.size >= expected.length, 15_000);
    expect(sink.sorted()).toEqual(expected);
  }, 60_000);
});

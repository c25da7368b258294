import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

const open = () => scene.open({ exporters: [{ kind: 'http', name: 'sink', url: sink.url }] });
const inFolder = (name: string) => join(scene.folder, 'service', name);
const value = (name: string) => scene.service?.counts().find((count) => count.name === name)?.value;
const MIXED = [
  ...recording('m-background-delegation-one-child-tui'),
  ...recording('q-two-turns-then-close-and-new'),
  ...recording('n-delegate-nested-sync'),
];

/** Takes lines in parts, with a checkpoint in between at least once. */
async function takeSlowly(lines: readonly string[]): Promise<void> {
  for (let i = 0; i < lines.length; i += 50) {
    await scene.service?.take(batch(lines.slice(i, i + 50)));
    const made = value('checkpoints') ?? 0;
    if (i % 100 === 0) await until(() => (value('checkpoints') ?? 0) > made);
  }
}

describe('a recovery', () => {
  it.each([
    [
      'with a checkpoint that is cut short, goes on from the one before',
      () => truncateSync(inFolder('checkpoint.json'), 99),
    ],
    [
      'with none of them whole, from the beginning',
      () => {
        truncateSync(inFolder('checkpoint.json'), 99);
        truncateSync(inFolder('checkpoint.before.json'), 99);
      },
    ],
    [
      'without any, from the beginning',
      () => {
        rmSync(inFolder('checkpoint.json'));
        rmSync(inFolder('checkpoint.before.json'));
      },
    ],
  ])('%s, and no span comes in two versions', async (_, harm) => {
    const half = Math.floor(MIXED.length * 0.6);
    await open();
    await takeSlowly(MIXED.slice(0, half));
    await scene.service?.stop();
    harm();
    const service = await open();
    await service.take(batch(MIXED.slice(half)));
    const expected = replayed(MIXED);
    await until(() => sink.spans.size === expected.length);
    expect(sink.sorted()).toEqual(expected);
  });

  it('without the spool sends again what it must, as it was', async () => {
    await sink.close();
    await open();
    await scene.service?.take(batch(MIXED));
    await scene.service?.settled();
    await scene.service?.stop(1_500);
    rmSync(inFolder('spools'), { recursive: true });
    rmSync(inFolder('checkpoint.json'));
    await sink.open();
    await open();
    const expected = replayed(MIXED);
    await until(() => sink.spans.size === expected.length);
    expect(sink.sorted()).toEqual(expected);
  });

  it('without the journal takes what comes as new', async () => {
    const lines = recording('n-delegate-nested-sync');
    await open();
    await scene.service?.take(batch(lines));
    await scene.service?.stop();
    rmSync(inFolder('journal'), { recursive: true });
    const service = await open();
    await service.take(batch(asAnother(lines, 'x')));
    await until(() => sink.spans.size === 2 * replayed(lines).length);
  });

  it('has all of a turn that was open for very long, whose records are not kept in the journal', async () => {
    const long = recording('n-delegate-nested-sync');
    const quarter = Math.floor(long.length / 4);
    const short = (n: number) =>
      ['pre_llm_call', 'pre_tool_call', 'post_tool_call', 'on_session_end'].map((hook, i) => {
        const payload = {
          session_id: `s${n}`,
          turn_id: `t${n}`,
          tool_name: 'x',
          tool_call_id: 'c',
          status: 'ok',
          completed: true,
        };
        return JSON.stringify({
          hook,
          time_unix_nano: '1764450000000000000',
          producer: 'q',
          seq: n * 4 + i + 1,
          payload,
        });
      });
    let turns = 0;
    const takeShort = async (count: number) => {
      for (const end = turns + count; turns < end; ) {
        const lines: string[] = [];
        for (let i = 0; i < 250; i++) lines.push(...short(turns++));
        const taken = scene.service?.take(batch(lines));
        if (scene.service?.isPaused || turns % 5_000 === 0) await taken;
      }
      await scene.service?.settled();
      const made = value('checkpoints') ?? 0;
      await scene.service?.take(batch([short(turns)[0] ?? '']));
      turns++;
      await until(() => (value('checkpoints') ?? 0) > made);
    };
    await open();
    await scene.service?.take(batch(long.slice(0, quarter)));
    await takeShort(25_000);
    await scene.service?.take(batch(long.slice(quarter, 2 * quarter)));
    await takeShort(25_000);
    await scene.service?.take(batch([short(turns++)[0] ?? '']));
    await until(() => (value('held_bytes') ?? 0) > 1_000);
    expect(readdirSync(inFolder('.')).filter((name) => name.startsWith('held-')).length).toBeLessThanOrEqual(2);
    await scene.service?.stop();
    await open();
    await scene.service?.take(batch(long.slice(2 * quarter, 3 * quarter)));
    await takeShort(25_000);
    await scene.service?.stop();
    await open();
    await scene.service?.take(batch(long.slice(3 * quarter)));
    const expected = replayed(long);
    const ids = new Set(expected.map((span) => JSON.parse(span).traceId));
    const ofLong = () => sink.sorted().filter((span) => ids.has(JSON.parse(span).traceId));
    await scene.service?.settled();
    await until(() => scene.service?.exporters()[0]?.waitingBytes === 0, 30_000);
    expect(ofLong()).toEqual(expected);
    expect(sink.spans.size).toBe(expected.length + 2 * 75_000);
    expect(sink.taken).toBe(sink.spans.size);
    expect(existsSync(inFolder('checkpoint.json'))).toBe(true);
  }, 120_000);
});

describe('a power failure', () => {
  it('that took a part of what was not synced of a spool loses no span: the journal has it', async () => {
    await sink.close();
    const service = await open();
    const marks = ['', 'x', 'y', 'z'];
    const lines = recording('n-delegate-nested-sync');
    const linesOf = (mark: string) => (mark === '' ? lines : asAnother(lines, mark));
    const folder = inFolder('spools/sink');
    const segment = () => join(folder, readdirSync(folder).find((name) => name.endsWith('.seg')) ?? '');
    await service.take(batch(lines));
    await service.settled();
    await until(() => (value('checkpoints') ?? 0) > 0);
    const checkpoint = readFileSync(inFolder('checkpoint.json'));
    const ends: number[] = [];
    for (const mark of marks.slice(1)) {
      ends.push(statSync(segment()).size);
      await service.take(batch(linesOf(mark)));
      await service.settled();
    }
    await service.stop(1_500);
    writeFileSync(inFolder('checkpoint.json'), checkpoint);
    // Pages reach the disk in any order: what came last is there, what came before is zeros.
    const bytes = readFileSync(segment());
    bytes.fill(0, ends[0], ends[1]);
    writeFileSync(segment(), bytes);
    await sink.open();
    await open();
    const expected = marks.flatMap((mark) => replayed(linesOf(mark))).sort();
    await until(() => sink.spans.size === expected.length);
    expect(sink.sorted()).toEqual(expected);
  });
});

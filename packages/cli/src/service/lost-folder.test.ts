import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asAnother, batch, recording, replayed, Scene, until } from './scene.test-support.js';
import { Service } from './service.js';
import { Sink } from './sink.test-support.js';

let scene: Scene;
let sink: Sink;
beforeEach(async () => {
  scene = new Scene();
  sink = await new Sink().open();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await scene.end();
  await sink.close();
});

const open = () => scene.open({ exporters: [{ kind: 'http', name: 'sink', url: sink.url }] });
const inFolder = (name: string) => join(scene.folder, 'service', name);
const value = (name: string) => scene.service?.counts().find((count) => count.name === name)?.value;
const LINES = recording('n-delegate-nested-sync');
const another = (mark: string) => asAnother(LINES, mark);

/** Gives lines until they are taken, as forwarders do. */
async function takeAtLast(service: Service, lines: readonly string[]): Promise<void> {
  const end = performance.now() + 8_000;
  while (performance.now() < end) {
    const isTaken = await service.take(batch(lines)).then(
      () => true,
      () => false,
    );
    if (isTaken) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('not taken in 8 s');
}

describe('a data folder that goes while the service runs', () => {
  it.each([
    ['deleted', () => rmSync(inFolder('.'), { recursive: true })],
    ['moved away', () => renameSync(inFolder('.'), join(scene.folder, 'elsewhere'))],
    [
      'replaced by an empty one',
      () => {
        rmSync(inFolder('.'), { recursive: true });
        mkdirSync(inFolder('.'));
      },
    ],
    ['the journal alone', () => rmSync(inFolder('journal'), { recursive: true })],
    [
      'its newest segment alone',
      () =>
        rmSync(
          join(
            inFolder('journal'),
            readdirSync(inFolder('journal'))
              .filter((name) => name.endsWith('.seg'))
              .at(-1) ?? '',
          ),
        ),
    ],
  ])('acknowledges nothing into it, says so, and goes on in a new one: %s', async (_, harm) => {
    const service = await open();
    await service.take(batch(LINES));
    await until(() => sink.spans.size === replayed(LINES).length);
    harm();
    await expect(service.take(batch(another('x')))).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
    expect([service.isReady, service.isPaused]).toEqual([false, true]);
    expect(service.trouble).toContain('deleted or replaced');
    await takeAtLast(service, another('x'));
    expect([service.isReady, service.trouble]).toEqual([true, undefined]);
    expect(scene.warnings.join('\n')).toMatch(/was deleted or replaced while it was in use, and was made again/);
    const expected = [...replayed(LINES), ...replayed(another('x'))].sort();
    await until(() => sink.spans.size === expected.length);
    expect(sink.sorted()).toEqual(expected);
    const made = value('checkpoints') ?? 0;
    await until(() => (value('checkpoints') ?? 0) > made || existsSync(inFolder('checkpoint.json')), 5_000);
    await service.stop();
    // A restart goes on as after any other, and sends nothing in a second version.
    await open();
    await scene.service?.take(batch(another('x')));
    await scene.service?.take(batch(another('y')));
    await until(() => sink.spans.size === expected.length + replayed(LINES).length);
    expect(sink.sorted()).toEqual([...expected, ...replayed(another('y'))].sort());
    expect(value('duplicate_records')).toBe(LINES.length);
  });

  it('is found out also when nothing comes', async () => {
    const service = await open();
    await service.take(batch(LINES));
    await service.settled();
    rmSync(inFolder('.'), { recursive: true });
    await until(() => scene.warnings.some((text) => text.includes('was made again')), 5_000);
    await until(() => existsSync(inFolder('checkpoint.json')), 5_000);
    expect(readdirSync(inFolder('spools'))).toEqual(['sink']);
    expect(service.isReady).toBe(true);
  });

  it('that another service has taken is left to it, with the reason', async () => {
    const service = await open();
    await service.take(batch(LINES));
    await service.settled();
    // Between two looks of the first one.
    let other: Service | undefined;
    for (let tries = 0; other === undefined && tries < 50; tries++) {
      rmSync(inFolder('.'), { recursive: true, force: true });
      other = await Service.open({ dataFolder: scene.folder, onWarning: () => {} }).catch(() => undefined);
    }
    await expect(service.take(batch(another('x')))).rejects.toMatchObject({ code: 'HO_STORE_GONE' });
    await until(() => /is used by/.test(service.trouble ?? ''), 5_000);
    expect(service.isReady).toBe(false);
    await other?.take(batch(another('y')));
    await other?.stop();
    // It is free now, but it is the other one's log.
    await until(() => /another log/.test(service.trouble ?? ''), 5_000);
    const theirs = readFileSync(inFolder('checkpoint.json'));
    await service.stop(1_500);
    expect(readFileSync(inFolder('checkpoint.json'))).toEqual(theirs);
    expect(existsSync(inFolder('spools/sink'))).toBe(false);
    const third = await open();
    await third.take(batch(another('y')));
    expect(value('duplicate_records')).toBe(LINES.length);
  });

  it('spools are made again, and what is new is delivered after the next start too', async () => {
    const service = await open();
    await service.take(batch(LINES));
    await until(() => sink.spans.size === replayed(LINES).length);
    rmSync(inFolder('spools'), { recursive: true });
    await until(() => scene.warnings.some((text) => text.includes('spool of exporter sink was deleted')), 5_000);
    await sink.close();
    await takeAtLast(service, another('x'));
    await service.settled();
    await service.stop(1_500);
    await sink.open();
    await open();
    const expected = [...replayed(LINES), ...replayed(another('x'))].sort();
    await until(() => sink.spans.size === expected.length);
    expect(sink.sorted()).toEqual(expected);
  });

  it('a checkpoint that is deleted is made again', async () => {
    const service = await open();
    await service.take(batch(LINES));
    await until(() => existsSync(inFolder('checkpoint.json')), 5_000);
    rmSync(inFolder('checkpoint.json'));
    await until(() => existsSync(inFolder('checkpoint.json')), 5_000);
    expect(scene.warnings.join()).toContain('checkpoint was deleted');
  });
});

describe('a spool that cannot be synced', () => {
  it('keeps checkpoints back, and they go on when the disk is well again: nothing is lost by a crash then', async () => {
    await sink.close();
    const service = await open();
    await service.take(batch(LINES));
    await service.settled();
    await until(() => (value('checkpoints') ?? 0) > 0);
    const handle = await openFile(scene.folder, 'r');
    await handle.close();
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    const { datasync } = handles;
    const broken = vi.spyOn(handles, 'datasync').mockImplementation(async function (this: FileHandle) {
      // The spool's alone: in the journal, the records are safe.
      const isSpool = await import('node:fs').then(({ readlinkSync }) =>
        readlinkSync(`/proc/self/fd/${this.fd}`).includes('/spools/'),
      );
      if (isSpool) throw full;
      await datasync.call(this);
    });
    await service.take(batch(another('x')));
    await service.settled();
    await until(() => (value('checkpoint_failures') ?? 0) >= 2, 6_000);
    expect(scene.warnings.filter((text) => text.includes('no checkpoint can be written'))).toHaveLength(1);
    const made = value('checkpoints') ?? 0;
    broken.mockRestore();
    await until(() => (value('checkpoints') ?? 0) > made, 6_000);
    expect(scene.warnings.join()).toContain('checkpoints are written again');
    await service.take(batch(another('y')));
    await service.settled();
    // As a crash leaves it.
    const copy = join(tmpdir(), `crashed-${process.pid}`);
    cpSync(scene.folder, copy, { recursive: true, filter: (path) => !/lock\.\d+$/.test(path) });
    await sink.open();
    const again = await Service.open({
      dataFolder: copy,
      exporters: [{ kind: 'http', name: 'sink', url: sink.url }],
      onWarning: () => {},
    });
    const expected = ['', 'x', 'y'].flatMap((mark) => replayed(mark === '' ? LINES : another(mark))).sort();
    await until(() => sink.spans.size === expected.length);
    expect(sink.sorted()).toEqual(expected);
    await again.stop();
    rmSync(copy, { recursive: true });
  }, 30_000);
});

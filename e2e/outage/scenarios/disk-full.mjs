// The data folder on a disk of its own, which is filled up under load, and freed again.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { SpanSink } from '../../kill/span-sink.mjs';
import { pause, until } from '../scene.mjs';

const MOST_LEFT_BYTES = 512 * 1024;

/** @returns why there is none, or `undefined`. */
function mountDisk(folder) {
  const { status, stderr, error } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m,mode=700', 'outage', folder], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/** Leaves at most so much on the disk of `file`. @throws Error other than of a full disk */
function fill(file, mostLeft = MOST_LEFT_BYTES) {
  for (;;) {
    const { bavail, bsize } = statfsSync(join(file, '..'));
    const left = bavail * bsize - mostLeft;
    if (left < bsize) return;
    try {
      appendFileSync(file, Buffer.alloc(Math.min(left, 2 ** 20)));
    } catch (error) {
      // The service was faster: the disk is full all the same.
      if (error.code === 'ENOSPC') return;
      throw error;
    }
  }
}

/**
 * Keeps the disk full: a small batch fits in what a large one left, and is rightly acknowledged.
 * @returns the records acknowledged by the time from which none was for three seconds, or -1
 */
async function acknowledgedWhenFull(scene, ballast) {
  const end = performance.now() + 20_000;
  while (performance.now() < end) {
    const full = scene.acknowledged;
    const quietUntil = performance.now() + 3_000;
    while (scene.acknowledged === full) {
      if (performance.now() > quietUntil) return full;
      fill(ballast, 0);
      await pause(100);
    }
  }
  return -1;
}

export async function diskFull(scene) {
  const data = join(scene.folder, 'disk');
  mkdirSync(data);
  const reason = mountDisk(data);
  if (reason !== undefined) {
    console.log(`skip ${scene.name}: no disk of its own can be had: ${reason}`);
    return;
  }
  const sink = new SpanSink();
  const url = await sink.open();
  const ballast = join(data, 'ballast');
  try {
    const service = await scene.serve({ data, config: { exporters: [{ name: 'sink', url }] } });
    scene.load();
    await pause(2_000);
    // What waits for a backend needs room too.
    sink.isAway = true;
    fill(ballast);
    await until('all agents are told to wait', () => scene.feeds.every(({ pauses }) => pauses > 0), 40_000);
    const full = await acknowledgedWhenFull(scene, ballast);
    const ready = (await service.get('/readyz')).status;
    scene.check(
      'nothing is acknowledged on a full disk, agents are told to wait, and it is not ready',
      full >= 0 && full < scene.made && ready === 503,
      `${full} of ${scene.made} acknowledged, /readyz ${ready}`,
    );
    scene.check('it says so', /disk is full|no space|ENOSPC/i.test(service.log), service.log.split('\n').at(-2));
    rmSync(ballast);
    await until('it takes records again', () => scene.acknowledged > full + 100);
    scene.check('with room again it goes on by itself', true, `${scene.pauses} pauses`);
    sink.isAway = false;
    await pause(1_500);

    // Once more, and killed while it is full.
    sink.isAway = true;
    const pausesBefore = scene.feeds.map(({ pauses }) => pauses);
    fill(ballast);
    await until('all are told to wait', () => scene.feeds.every(({ pauses }, i) => pauses > pausesBefore[i]), 40_000);
    await service.kill();
    const started = await service.start().then(
      () => true,
      (error) => /HO_STORE_FULL/.test(error.message) || error.message,
    );
    scene.check('on a full disk it starts, or says why not', started === true, started === true ? '' : started);
    rmSync(ballast);
    if (!service.isRunning) await service.start();
    sink.isAway = false;
    await pause(1_000);
    await scene.endLoad();
    await scene.settled();
    await scene.account(sink, { restarts: 1 });
    await service.stop();
  } finally {
    if (scene.service?.isRunning) await scene.service.kill();
    sink.close();
    spawnSync('umount', [data]);
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, vi } from 'vitest';
import { SegmentLog } from './segment-log.js';

/** `SEGMENT_RECORDS=1000000` for the long run. */
const RECORDS = Number(process.env.SEGMENT_RECORDS ?? 100_000);
const BATCH = 500;
const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function held(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

it(
  'holds no more memory and disk after many records than after few',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'endurance-'));
    const log = await SegmentLog.open(folder, { syncMillis: 10, segmentBytes: 4 * MIB });
    const payloads = Array.from({ length: BATCH }, (_, i) => Buffer.alloc(1_024, i));
    let delivered = 0;
    const delivery = (async () => {
      for await (const batch of log.read({ follow: true })) {
        delivered += batch.length;
        await log.truncateBefore(delivered);
        if (delivered === RECORDS) break;
      }
    })();
    let early = 0;
    for (let appended = 0; appended < RECORDS; appended += BATCH) {
      await log.room();
      const append = log.append(payloads);
      if (appended % (BATCH * 10) === 0) await append;
      if (appended === RECORDS / 10) early = held();
    }
    await log.flush();
    await delivery;
    // Buffers of reads that have just ended are given back a little later.
    await vi.waitFor(() => expect(held() - early).toBeLessThan(8 * MIB), 5_000);
    expect(log.size).toBeLessThan(1 * MIB);
    await log.close();
    rmSync(folder, { recursive: true });
  },
  RECORDS * 0.3 + 30_000,
);

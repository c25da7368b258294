import type { SegmentLog } from '@hermes-observer/core/segments';
import { encodeEntry, type FileEntry } from './file-entry.js';
import type { FileState } from './file-state.js';
import type { Turns } from './turns.js';

const BATCH = 100;

/**
 * Appends what is in force once more and deletes what stands before. Changes may go on meanwhile: each approval is copied in
 * its own turn, and a change behind its copy is read behind it. A crash at any point leaves the old part, or both.
 * @returns bytes of the copies.
 */
export async function copyForward(log: SegmentLog, state: FileState, turns: Turns): Promise<number> {
  let first: number | undefined;
  let bytes = 0;
  const append = async (entries: readonly FileEntry[]) => {
    const payloads = entries.map(encodeEntry);
    for (const { length } of payloads) bytes += length;
    await log.room();
    const position = await log.append(payloads);
    first ??= position;
  };
  await append([{ t: 'mended', before: state.mendedBefore }]);
  const ids = [...state.approvals.keys()];
  for (let i = 0; i < ids.length; i += BATCH) {
    await Promise.all(
      ids.slice(i, i + BATCH).map((id) =>
        turns.run(id, async () => {
          const approval = state.approvals.get(id);
          if (approval !== undefined) await append([{ t: 'put', approval }]);
        }),
      ),
    );
  }
  // An answer that is revoked meanwhile must not come back: each in its turn as well.
  for (const id of [...state.remembered.keys()]) {
    await turns.run(`remembered ${id}`, async () => {
      const entry = state.remembered.get(id);
      if (entry !== undefined) await append([{ t: 'remember', entry }]);
    });
  }
  const events = [...state.events];
  for (let i = 0; i < events.length; i += BATCH) {
    await append(events.slice(i, i + BATCH).map(([key, until]) => ({ t: 'event', key, until })));
  }
  if (first !== undefined) {
    await append([{ t: 'copied', from: first }]);
    await log.truncateBefore(first);
  }
  return bytes;
}

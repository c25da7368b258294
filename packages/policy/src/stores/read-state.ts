import type { SegmentLog } from '@hermes-observer/core/segments';
import { decodeEntry } from './file-entry.js';
import { FileState } from './file-state.js';

/** Puts together what a log says, in its order. */
export async function readState(log: SegmentLog): Promise<FileState> {
  const state = new FileState();
  const putAt = new Map<string, number>();
  for await (const batch of log.read()) {
    for (const { payload, position } of batch) {
      const entry = decodeEntry(payload);
      if (entry.t === 'put') {
        // A copy takes the place of what it copies, so that the oldest still comes first.
        state.drop(entry.approval.id);
        putAt.set(entry.approval.id, position);
      } else if (entry.t === 'copied') {
        for (const [id, at] of putAt) if (at < entry.from) state.drop(id);
      }
      state.apply(entry);
    }
  }
  return state;
}

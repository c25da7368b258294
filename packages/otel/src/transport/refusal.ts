import type { Sent } from './span-target.js';

/** What receivers say to a request that is too large, or that holds something they cannot read. */
const SPLIT_ON = new Set([400, 413]);

/** So many spans of a request may be refused alone, with none taken, until it is split no further. */
export const MOST_REFUSED = 64;

/** Whether the fault may be in some of the spans, so that a part of the request may be taken. */
export const asksToSplit = (sent: Sent): boolean => sent.kind === 'refused' && SPLIT_ON.has(sent.status);

import { visibleLine } from '../format/visible-text.js';

/** Why a call was blocked. Reasons are content: who captures none is told that there is none. */
export function BlockedReason({ why }: { why: string | null }) {
  if (why !== null && why !== '') return <span class="blocked-why">{visibleLine(why)}</span>;
  return <span class="blocked-why soft">reason not captured</span>;
}

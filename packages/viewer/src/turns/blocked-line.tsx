import type { BlockedCall } from '../api/turn-row.js';
import { visibleLine } from '../format/visible-text.js';
import { turnPath } from '../route/route.js';
import { BlockedReason } from '../ui/blocked-reason.js';
import { Icon } from '../ui/icon.js';

/** Which call was blocked, by whom, and why. */
export function BlockedLine({ call, trace }: { call: BlockedCall; trace: string }) {
  return (
    <a class="blocked-line" href={turnPath(trace, call.span)} tabIndex={-1}>
      <Icon name="blocked" />
      <span class="blocked-what">
        <b>{visibleLine(call.name, 80)}</b> blocked
        {call.by !== null && (
          <>
            {' '}
            by <b>{visibleLine(call.by, 80)}</b>
          </>
        )}
      </span>
      <BlockedReason why={call.why} />
    </a>
  );
}

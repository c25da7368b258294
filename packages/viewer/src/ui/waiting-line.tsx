import { approvalPath } from '../api/approvals.js';
import type { WaitingCall } from '../api/turn-row.js';
import { withoutOperation } from '../format/turn-title.js';
import { visibleLine } from '../format/visible-text.js';
import { turnPath } from '../route/route.js';
import { BlockedReason } from './blocked-reason.js';
import { Icon } from './icon.js';

/** Which call waits for a person, and why; leads to where it is answered, else to its span. */
export function WaitingLine(props: { call: WaitingCall; trace: string; isTabStop?: boolean }) {
  const { call, trace, isTabStop = false } = props;
  const page = approvalPath(call.request);
  return (
    <a class="blocked-line waiting-line" href={page ?? turnPath(trace, call.span)} tabIndex={isTabStop ? 0 : -1}>
      <Icon name="human" />
      <span class="blocked-what">
        <b>{visibleLine(withoutOperation(call.name), 80)}</b> waits for a person
      </span>
      <BlockedReason why={call.why} />
      {page !== undefined && <span class="waiting-answer">Answer</span>}
    </a>
  );
}

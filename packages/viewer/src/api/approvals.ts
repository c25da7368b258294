import { signal } from '@preact/signals';
import { fetchApprovals } from './client.js';
import type { ApprovalsAnswer } from './turn-row.js';

/** Asked again so often, ms. */
const AGAIN = 3000;

/** What waits for a person, and where it is answered; kept fresh by `watchApprovals`. */
export const approvals = signal<ApprovalsAnswer>({ path: null, waiting: 0 });

/** Page of a request; `undefined` where there is none. */
export function approvalPath(request: string | null): string | undefined {
  const { path } = approvals.value;
  return path === null || request === null ? undefined : `${path}/${encodeURIComponent(request)}`;
}

/** Asks now and then. A service without pages of approvals gets none while it runs, and is asked once. */
export function watchApprovals(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const look = async () => {
    try {
      if (!document.hidden) approvals.value = await fetchApprovals();
      if (approvals.value.path === null && !document.hidden) return;
    } catch {
      // Not there for a moment, or not yet: what was known stands.
    }
    if (!isOver) timer = setTimeout(() => void look(), AGAIN);
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

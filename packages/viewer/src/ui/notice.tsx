import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/client.js';

/** A page that has nothing to show yet, and says why. */
export function Notice({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="notice">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

/** What went wrong, in words that a person can act on. */
export function FaultNotice({ fault, again }: { fault: unknown; again?: () => void }) {
  const text = fault instanceof Error ? fault.message : String(fault);
  const title = fault instanceof ApiError && fault.status === 404 ? 'Not found' : 'That did not work';
  return (
    <Notice title={title}>
      <p role="alert">{text}</p>
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </Notice>
  );
}

import { signal } from '@preact/signals';
import { fetchHealth } from './client.js';

/** What other pages than that of the health need to know of the service. */
export interface ServiceFacts {
  /** Where Jaeger is, when the service says so. */
  readonly jaegerUrl?: string | undefined;
  /** Files are shown: there are no records to save, and nothing to delete. */
  readonly areFiles: boolean;
}

export const serviceFacts = signal<ServiceFacts>({ areFiles: false });
let isAsked = false;

/** Asks the service, once. */
export function loadServiceFacts(): void {
  if (isAsked) return;
  isAsked = true;
  fetchHealth().then(
    ({ jaegerUrl, files }) => {
      serviceFacts.value = { jaegerUrl: jaegerUrl ?? undefined, areFiles: files === true };
    },
    () => {
      // No link then; the health page says what is wrong.
      isAsked = false;
    },
  );
}

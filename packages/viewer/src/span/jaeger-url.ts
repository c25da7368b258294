import { signal } from '@preact/signals';
import { fetchHealth } from '../api/client.js';

/** Where Jaeger is, when the service says so. */
export const jaegerUrl = signal<string | undefined>(undefined);
let isAsked = false;

/** Asks the service, once. */
export function loadJaegerUrl(): void {
  if (isAsked) return;
  isAsked = true;
  fetchHealth().then(
    (health) => {
      jaegerUrl.value = health.jaegerUrl;
    },
    () => {
      // No link then; the health page says what is wrong.
      isAsked = false;
    },
  );
}

import type { ServiceFacts } from '../../../cli/src/wire.js';

/** What the service says of itself in the page: no request is needed for it. */
export const serviceFacts: ServiceFacts = factsIn(
  typeof document === 'undefined' ? null : document.querySelector('meta[name="service-facts"]'),
);

function factsIn(place: Element | null): ServiceFacts {
  try {
    const { jaegerUrl, files } = JSON.parse(place?.getAttribute('content') ?? '{}') as Partial<ServiceFacts>;
    return { jaegerUrl: jaegerUrl ?? null, files: files === true };
  } catch {
    return { jaegerUrl: null, files: false };
  }
}

import type { TraceContext } from '@hermes-observer/core';

// What is not told is `undefined`, so that a child does not take this process's own caller for its own.
/** Variables for a child process, to be put over those it has. */
export const traceEnvironment = ({ traceparent, tracestate, baggage }: TraceContext) => ({
  TRACEPARENT: traceparent,
  TRACESTATE: tracestate,
  BAGGAGE: baggage,
});

import type { SpanKind, SpanStatusCode } from '@opentelemetry/api';

// The numbers of the API's enumerations.
export const INTERNAL: SpanKind = 0;
export const CLIENT: SpanKind = 2;

export const STATUS_UNSET: SpanStatusCode = 0;
export const STATUS_OK: SpanStatusCode = 1;
export const STATUS_ERROR: SpanStatusCode = 2;

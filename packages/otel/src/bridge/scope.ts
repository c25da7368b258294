/** Instrumentation scope of the spans. A test holds the version to that of the package. */
export const SCOPE_NAME = '@hermes-observer/otel';
export const SCOPE_VERSION = '0.1.0';
/** The convention that attribute names follow: the last core release that has the GenAI text. */
export const SCOPE_SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.1';

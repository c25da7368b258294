/** Instrumentation scope of metrics and log records. A test holds the version to that of the package. */
export const SIGNALS_SCOPE_NAME = '@hermes-observer/signals';
export const SIGNALS_SCOPE_VERSION = '0.1.0';

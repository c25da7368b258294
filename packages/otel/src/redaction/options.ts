import type { RedactionOptions } from '@hermes-observer/core';

export interface SpanRedactionOptions extends RedactionOptions {
  /**
   * Paths of `@pinojs/redact` to values that are redacted whole, from the attributes of a span, event, link or resource on:
   * `*.customer.name`, `["gen_ai.tool.call.arguments"].items[*].price`. Text that is JSON counts as what it holds. Needs the
   * package `@pinojs/redact`.
   */
  readonly paths?: readonly string[] | undefined;
}

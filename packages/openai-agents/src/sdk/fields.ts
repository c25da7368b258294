// What is read of the SDK's objects, by their structure: no version of it is loaded, and any field may be absent.

import { type Fields, listOf, textOf } from '@hermes-observer/adapter';

export { type Fields, listOf, textOf };

export const fieldsOf = (value: unknown): Fields =>
  (typeof value === 'object' || typeof value === 'function') && value !== null ? (value as Fields) : {};

import { fieldsOf } from '@hermes-observer/core';

export type Fields = Readonly<Record<string, unknown>>;

export { fieldsOf };

/** Text that says something. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

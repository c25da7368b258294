// What is read of a framework's objects, by their structure: no version of it is loaded, and any field may be absent.

export { fieldsOf } from '@hermes-observer/core';

export type Fields = Readonly<Record<string, unknown>>;

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Text that says something. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

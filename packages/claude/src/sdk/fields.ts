export { type Fields, fieldsOf, listOf, textOf } from '@hermes-observer/adapter';

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

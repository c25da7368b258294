import { isThenable, settle } from '@hermes-observer/core';
import type { ReadableSpan } from '../sdk/types.js';
import type { ObserverOptions } from './options.js';

/**
 * `beforeExport` as a stage before an exporter: gives what it returns for a span, the span itself for `undefined`, and
 * `null`, which leaves the span out, for `null` and for anything that is no span. What goes wrong is told to `onError`.
 */
export function screening(
  beforeExport: NonNullable<ObserverOptions['beforeExport']>,
  onError: (error: unknown) => void,
): (span: ReadableSpan) => ReadableSpan | null {
  return (span) => {
    try {
      const returned: unknown = beforeExport(span);
      if (returned === null) return null;
      if (returned === undefined) return span;
      if (isSpan(returned)) return returned;
      if (isThenable(returned)) settle(returned, undefined, () => {});
      onError(new TypeError('it must return a span or null at once'));
    } catch (error) {
      onError(error);
    }
    return null;
  };
}

const isSpan = (value: unknown): value is ReadableSpan =>
  typeof value === 'object' && value !== null && typeof (value as ReadableSpan).spanContext === 'function';

import { fieldsOf, textOf } from './fields.js';

/** Where all copies of the SDK, from 0.4.0 on, keep whose code runs; there is no need to load it. */
const STORAGE = Symbol.for('openai.agents.core.asyncLocalStorage');

const place = globalThis as { [STORAGE]?: { getStore?(): unknown } };

const store = () => fieldsOf(place[STORAGE]?.getStore?.());

/** `groupId` of the trace that the code runs in. */
export const currentGroupId = (): string | undefined => textOf(fieldsOf(store().trace).groupId);

interface SdkSpan {
  setError?: (error: unknown) => unknown;
}

/**
 * Has `failed` told of an error that is noted on the SDK's current span: a tool whose error became a result says so there,
 * and nowhere else, also where its tracing is off. Returns what ends it.
 */
export function watchSpanError(failed: (error: unknown) => void): () => void {
  const span = store().span as SdkSpan | null | undefined;
  const setError = span?.setError;
  if (span === undefined || span === null || setError === undefined) return () => {};
  const value = (error: unknown) => {
    failed(error);
    return Reflect.apply(setError, span, [error]);
  };
  Object.defineProperty(span, 'setError', { value, configurable: true, writable: true });
  return () => {
    if (span.setError === value) delete span.setError;
  };
}

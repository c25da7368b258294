import { fieldsOf } from './fields.js';

const ABORTS: ReadonlySet<unknown> = new Set(['AbortError', 'ModelAbortError', 'APIUserAbortError']);

export const isAbort = (error: unknown): boolean => ABORTS.has(fieldsOf(error).name);

/** Graphs that are called off, or whose stream is left, end with an error that says no more than this. */
export const saysAbort = (error: unknown): boolean => /^Abort(ed)?$/.test(String(fieldsOf(error).message));

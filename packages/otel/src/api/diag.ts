import { apiGlobals } from './globals.js';

/** To the diagnostic logger of the program, if it set one. */
export function warn(text: string, ...more: unknown[]): void {
  apiGlobals()?.diag?.warn(text, ...more);
}

/** As `warn`, for what must not happen. */
export function error(text: string, ...more: unknown[]): void {
  apiGlobals()?.diag?.error(text, ...more);
}

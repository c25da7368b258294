import type { Marker } from './kinds.js';

/** Behind the `@`: labels and a top-level domain; no version (`pkg@1.0.0-beta.rc`), no image scale (`icon@2x.png`),
 * no unit (`user@1000.service`). */
const DOMAIN = /(?!\d+\.\d|\dx\.|\d+\.(?:service|scope|slice)\b)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\w-])/uy;
const LOCAL = /[\p{L}\p{N}._%+-]/u;
const LONGEST_LOCAL = 128;

/** Masks e-mail addresses, except the user of a Git remote (`git@host`). Starts at each `@`, so other text costs nothing. */
export function redactEmails(text: string, marker: Marker): string {
  let result = '';
  let done = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    const start = localStart(text, at, done);
    if (start === at || text.slice(start, at) === 'git') continue;
    DOMAIN.lastIndex = at + 1;
    if (!DOMAIN.test(text)) continue;
    result += text.slice(done, start) + marker.mark('email', text.slice(start, DOMAIN.lastIndex));
    done = DOMAIN.lastIndex;
  }
  return done === 0 ? text : result + text.slice(done);
}

function localStart(text: string, at: number, floor: number): number {
  let start = at;
  while (start > floor && at - start < LONGEST_LOCAL && LOCAL.test(text[start - 1] ?? '')) start--;
  // The letter of an escape (`\n`) before an address is none of its own.
  if (start > floor && start < at - 1 && text[start - 1] === '\\') start++;
  return start;
}

import { isBankAccount } from './checksums.js';
import type { Marker } from './kinds.js';

const ACCOUNT = /[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7}(?: [A-Z0-9]{1,4})?)(?![A-Za-z0-9_])/y;
const BEFORE = /[A-Za-z0-9_]/;

/** Masks IBANs with right check digits that start at one of some places, in ascending order. */
export function redactBankAccounts(text: string, places: readonly number[], marker: Marker): string {
  let result = '';
  let done = 0;
  for (const at of places) {
    if (at < done || (at > 0 && BEFORE.test(text[at - 1] ?? ''))) continue;
    ACCOUNT.lastIndex = at;
    if (!ACCOUNT.test(text)) continue;
    const account = text.slice(at, ACCOUNT.lastIndex);
    if (!isBankAccount(account)) continue;
    result += text.slice(done, at) + marker.mark('iban', account);
    done = at + account.length;
  }
  return done === 0 ? text : result + text.slice(done);
}

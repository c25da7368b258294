import { matchAt } from './value-end.js';

const VALUE = /\s{1,20}([^\s"',}\]]{1,256})/y;
/** A quote of the text around may stand before. */
const MACHINE = /(?:^|[^A-Za-z])machine$/;
const DEFAULT = /(?:^|[^A-Za-z])default$/;
/** Pairs of a word and its value that are looked at before `password`. */
const MOST_PAIRS = 4;
const LONGEST_WORD = 253;

/**
 * Bounds of the password in `machine example.org login jane password hunter2`, on one line or on several, where the word
 * `password` stands from `start` to `end`.
 */
export function netrcPassword(text: string, start: number, end: number): { from: number; to: number } | undefined {
  const value = matchAt(VALUE, text, end)?.[1];
  if (value === undefined || value.startsWith('[redacted') || !hasHost(text, start)) return undefined;
  const to = VALUE.lastIndex;
  return { from: to - value.length, to };
}

/** Whether `machine` and a host, or `default`, stand before, perhaps with a login between. */
function hasHost(text: string, before: number): boolean {
  let at = before;
  for (let pairs = 0; pairs < MOST_PAIRS; pairs++) {
    const valueEnd = endOfWord(text, at);
    const valueStart = startOfWord(text, valueEnd);
    if (DEFAULT.test(text.slice(valueStart, valueEnd))) return true;
    const nameEnd = endOfWord(text, valueStart);
    at = startOfWord(text, nameEnd);
    const name = text.slice(at, nameEnd);
    if (MACHINE.test(name)) return true;
    if (name !== 'login' && name !== 'account') return false;
  }
  return false;
}

const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

function endOfWord(text: string, before: number): number {
  let at = before;
  while (at > 0 && before - at < LONGEST_WORD && isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

function startOfWord(text: string, end: number): number {
  let at = end;
  while (at > 0 && end - at <= LONGEST_WORD && !isSpace(text.charCodeAt(at - 1))) at--;
  return at;
}

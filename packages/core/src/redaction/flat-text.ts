import { CUT_MARK } from '../snapshot/text.js';
import { redactAssignments } from './assignments.js';
import { redactBankAccounts } from './bank-accounts.js';
import { isLongNumber } from './checksums.js';
import { redactCommands } from './command-passwords.js';
import { redactEmails } from './emails.js';
import type { KeyNames } from './key-names.js';
import { redactKeys } from './key-search.js';
import type { Marker } from './kinds.js';
import {
  AWS_KEY_ID,
  AWS_SECRET_PATTERN,
  NUMBER_PATTERNS,
  type Pattern,
  SECRET_PATTERNS,
  SHORTEST_NUMBER,
  SPREAD_NUMBER_PATTERNS,
} from './patterns.js';
import { TextScan } from './text-scan.js';
import { redactUrls } from './url-credentials.js';
import { matchAt } from './value-end.js';

/** Looks through text as text, whatever its structure. */
export class TextSearch {
  readonly #names: KeyNames;
  readonly #marker: Marker;
  readonly #secrets: readonly Pattern[];
  readonly #numbers: readonly Pattern[];
  readonly #spreadNumbers: readonly Pattern[];
  /** Nothing is looked for of which a scan gives no hint, but for addresses and telephone numbers. */
  readonly #needsScanOnly: boolean;
  /** An AWS key id stands elsewhere in what the text is a part of. */
  isNearAwsKey = false;
  /** An AWS key id was found. */
  sawAwsKey = false;

  constructor(names: KeyNames, marker: Marker) {
    this.#names = names;
    this.#marker = marker;
    const isOn = ({ kind }: Pattern) => marker.has(kind);
    this.#secrets = SECRET_PATTERNS.filter(isOn);
    this.#numbers = NUMBER_PATTERNS.filter(isOn);
    this.#spreadNumbers = SPREAD_NUMBER_PATTERNS.filter(isOn);
    const hasAddresses = marker.has('ipv4') || marker.has('ipv6');
    this.#needsScanOnly = names.anywhere === undefined && !hasAddresses;
  }

  /** `text` with marks in the place of what was found, in time linear in the text. */
  redact(text: string): string {
    const marker = this.#marker;
    const whole = maskCutWord(text, marker);
    let scan = new TextScan(whole);
    if (this.#isSurelyClean(whole, scan)) return whole;
    const hasAwsKey = scan.keys.some((at) => whole[at] === 'A' && matchAt(AWS_KEY_ID, whole, at) !== null);
    if (hasAwsKey) this.sawAwsKey = true;

    let result = scan.hasRareWord || scan.hasOption ? this.#applyAll(this.#secrets, whole, scan) : whole;
    if (scan.urls.length > 0 && marker.has('credentials')) {
      result = redactUrls(result, result === whole ? scan.urls : new TextScan(result).urls, marker);
    }
    if ((hasAwsKey || this.isNearAwsKey) && marker.has('aws_secret')) result = this.#apply(AWS_SECRET_PATTERN, result);
    if (scan.hasOption && marker.has('secret')) result = redactCommands(result, marker);
    // What was found has moved the places of what is behind it.
    if (result !== whole) scan = new TextScan(result);

    const withoutKeys = redactKeys(result, scan.keys, marker);
    if (withoutKeys !== result) scan = new TextScan(withoutKeys);
    const withoutNamed = redactAssignments(withoutKeys, scan.stems, this.#names, marker);
    result = marker.has('email') ? redactEmails(withoutNamed, marker) : withoutNamed;
    if (result !== withoutKeys) scan = new TextScan(result);

    result = this.#applyAll(this.#spreadNumbers, result, scan);
    if (hasLongNumber(result, scan.digits)) result = this.#applyAll(this.#numbers, result, scan);
    if (scan.ibans.length === 0 || !marker.has('iban')) return result;
    return redactBankAccounts(result, new TextScan(result).ibans, marker);
  }

  /** Most short texts give no hint of anything. */
  #isSurelyClean(text: string, scan: TextScan): boolean {
    return (
      scan.isEmpty &&
      this.#needsScanOnly &&
      !this.isNearAwsKey &&
      !text.includes('@') &&
      !text.includes('+') &&
      !hasLongNumber(text, scan.digits)
    );
  }

  #applyAll(patterns: readonly Pattern[], text: string, scan: TextScan): string {
    let result = text;
    for (const pattern of patterns) {
      const { hint, needs } = pattern;
      if (hint !== undefined && !scan[hint]) continue;
      if (needs === undefined || result.includes(needs)) result = this.#apply(pattern, result);
    }
    return result;
  }

  #apply({ kind, regexp, check, keepsStart }: Pattern, text: string): string {
    return text.replace(regexp, (match: string, first?: string) => {
      if (check !== undefined && !check(match)) return match;
      const start = keepsStart === true ? (first ?? '') : '';
      const secret = match.slice(start.length);
      return start + this.#marker.mark(kind, secret);
    });
  }
}

function hasLongNumber(text: string, places: readonly number[]): boolean {
  let last = -2;
  for (const at of places) {
    // In the middle of a number there is no other one.
    if (at !== last + 1 && isLongNumber(text, at, SHORTEST_NUMBER)) return true;
    last = at;
  }
  return false;
}

const CLOSING_BRACKET = 93;
const LONGEST_CUT_WORD = 4096;

/** Half a key looks like none, so the word before a cut goes. */
function maskCutWord(text: string, marker: Marker): string {
  if (text.charCodeAt(text.length - 1) !== CLOSING_BRACKET) return text;
  if (!text.endsWith(' chars]') && !text.endsWith('…[+]')) return text;
  const mark = CUT_MARK.exec(text.slice(-40));
  if (mark === null) return text;
  const end = text.length - mark[0].length;
  let start = end;
  while (start > 0 && end - start < LONGEST_CUT_WORD && !/\s/.test(text[start - 1] ?? ' ')) start--;
  if (start === end || text.startsWith('[redacted:cut', start)) return text;
  return `${text.slice(0, start)}${marker.mark('cut', text.slice(start, end))}${mark[0]}`;
}

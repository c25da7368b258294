import { CUT_MARK } from '../snapshot/text.js';
import { redactAssignments } from './assignments.js';
import { redactEmails } from './emails.js';
import { replaceInLongRuns } from './long-runs.js';
import type { Pattern } from './patterns.js';
import { keyPatterns, PERSONAL_PATTERNS, SECRET_PATTERNS, SHORTEST_KEY } from './patterns.js';

/** Stands for a whole value where redaction itself failed. */
export const REDACTED = '[redacted]';

/**
 * `text` with secrets and personal data masked as `[redacted:<kind>]`; the words around them stay. Kinds: `private_key`,
 * `webhook_url`, `credentials`, `api_key`, `jwt`, `bot_token`, `client_secret`, `signature` (of a signed URL), `aws_secret`, `bearer`, `secret` and `pii` (by the name
 * of a field), `email`, `card`, `iban`, `ssn`, `phone`, and `cut` for the word a length limit cut through: half a key
 * looks like none. Takes time linear in the text. Fails closed: on any error the result is `[redacted]`.
 */
export function redactText(text: string): string {
  if (text.length < SHORTEST) return text;
  try {
    let result = applyAll(SECRET_PATTERNS, maskCutWord(text));
    result = replaceInLongRuns(result, SHORTEST_KEY, redactKeys);
    result = redactEmails(redactAssignments(result));
    result = applyAll(PERSONAL_PATTERNS, result);
    return result;
  } catch {
    return REDACTED;
  }
}

/** No pattern matches fewer characters. */
const SHORTEST = 6;

/** Dotted and dashed words are long runs as well, but random keys have digits; those of AWS at least capitals. */
const MAY_BE_KEY = /\d|A[A-Z]{10}/;

function redactKeys(part: string): string {
  return MAY_BE_KEY.test(part) ? applyAll(keyPatterns(), part) : part;
}

function applyAll(patterns: readonly Pattern[], text: string): string {
  let result = text;
  for (const pattern of patterns) result = apply(pattern, result);
  return result;
}

function apply(pattern: Pattern, text: string): string {
  if (pattern.needs !== undefined && !text.includes(pattern.needs)) return text;
  const { check, mask } = pattern;
  const masked = `[redacted:${pattern.kind}]`;
  return text.replace(pattern.regexp, (match: string, ...groups: (string | undefined)[]) => {
    if (check !== undefined && !check(match)) return match;
    return mask === undefined ? masked : mask(masked, groups);
  });
}

const LONGEST_CUT_WORD = 4096;

function maskCutWord(text: string): string {
  if (!text.endsWith(' chars]') && !text.endsWith('…[+]')) return text;
  const mark = CUT_MARK.exec(text.slice(-40));
  if (mark === null) return text;
  const end = text.length - mark[0].length;
  let start = end;
  while (start > 0 && end - start < LONGEST_CUT_WORD && !/\s/.test(text[start - 1] ?? ' ')) start--;
  return start === end ? text : `${text.slice(0, start)}[redacted:cut]${mark[0]}`;
}

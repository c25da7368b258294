import type * as z from 'zod';
import type { Place, PolicyDocument } from './policy-document.js';

/** A part of the file as its schema says. Throws `HO_POLICY_CONFIG` with the place of the first fault. */
export function checked<T extends z.ZodType>(
  document: PolicyDocument,
  place: Place,
  value: unknown,
  schema: T,
): z.output<T> {
  const { data, error, success } = schema.safeParse(value);
  if (success) return data;
  // A key that is misspelt is the cause of one that is missing.
  const unknown = error.issues.find(({ code, path }) => code === 'unrecognized_keys' && path.length === 0);
  const issue = deepest(unknown ?? error.issues[0]);
  const path = [...place, ...(issue?.path ?? [])];
  if (issue?.code === 'unrecognized_keys') {
    throw document.fault([...path, issue.keys[0] ?? ''], issue.message, true);
  }
  const isMissing = issue !== undefined && issue.code !== 'custom' && !isThere(value, issue.path);
  const name = path.length === 0 ? 'The file' : `\`${nameOf(path)}\``;
  throw isMissing
    ? document.fault(path, `${name} is missing.`)
    : document.fault(path, `${name} ${sentence(issue?.message ?? 'is no such value')}`);
}

/** Of a union the alternative that went furthest says most. */
function deepest(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const all = issue.errors.map(([first]) => deepest(first)).filter((one) => one !== undefined);
  const [best] = all.toSorted((a, b) => weight(b) - weight(a));
  if (best === undefined || weight(best) === 0) return issue;
  return { ...best, path: [...issue.path, ...best.path] };
}

/** That a value is of another type says little; what is wrong inside of one that fits says most. */
const weight = ({ code, path }: z.core.$ZodIssue): number =>
  2 * path.length + (code === 'custom' || code === 'unrecognized_keys' ? 1 : 0);

function isThere(value: unknown, path: Place): boolean {
  let at: unknown = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return false;
    at = (at as Record<PropertyKey, unknown>)[step];
  }
  return true;
}

const nameOf = (path: Place): string =>
  path.reduce<string>(
    (name, step) =>
      typeof step === 'number' ? `${name}[${step}]` : name === '' ? String(step) : `${name}.${String(step)}`,
    '',
  );

const sentence = (message: string): string => (/[.?`]$/.test(message) ? message : `${message}.`);

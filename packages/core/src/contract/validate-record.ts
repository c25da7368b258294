import type * as z from 'zod';
import { recordSchema } from './envelope.js';
import { hookSchemas, isKnownHook } from './hook-map.js';

/** Something about a record that its schema does not expect. The record may still be used. */
export interface Oddity {
  /** `unknown_hook`: no schema has this name, which is allowed; `envelope`, `payload`: a field is not what it should be; `unreadable`: a getter or proxy threw. */
  kind: 'unknown_hook' | 'envelope' | 'payload' | 'unreadable';
  level: 'info' | 'warning';
  /** Hook of the record, `''` where it has none. */
  hook: string;
  /** Place in the record, such as `payload.usage.input_tokens`. `''` is the record itself. */
  path: string;
  /** What was expected and what came. Never quotes a value. */
  message: string;
}

/** All that is odd about a record, nothing for a sound one. Never throws and never changes the record. */
export function validateRecord(record: unknown): Oddity[] {
  let hook = '';
  try {
    const named = (record as { hook?: unknown } | null | undefined)?.hook;
    if (typeof named === 'string') hook = named;
    const oddities: Oddity[] = [];
    collect(recordSchema, record, 'envelope', hook, '', oddities);
    if (hook === '') return oddities;
    if (!isKnownHook(hook)) {
      oddities.push({
        kind: 'unknown_hook',
        level: 'info',
        hook,
        path: 'hook',
        message: 'no schema for this hook: it passes through',
      });
      return oddities;
    }
    const payload = (record as { payload?: unknown }).payload;
    if (typeof payload === 'object' && payload !== null && !Array.isArray(payload)) {
      collect(hookSchemas[hook], payload, 'payload', hook, 'payload', oddities);
    }
    return oddities;
  } catch {
    return [
      { kind: 'unreadable', level: 'warning', hook, path: '', message: 'a getter or proxy in the record throws' },
    ];
  }
}

function collect(
  schema: z.ZodType,
  value: unknown,
  kind: Oddity['kind'],
  hook: string,
  root: string,
  into: Oddity[],
): void {
  const result = schema.safeParse(value);
  if (result.success) return;
  for (const issue of result.error.issues) {
    into.push({ kind, level: 'warning', hook, path: pathOf(root, issue.path), message: messageOf(issue) });
  }
}

function pathOf(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`),
    root,
  );
}

/** zod says only "Invalid input" of a union; its branches say more. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== 'invalid_union') return issue.message;
  const branches = issue.errors
    .flat()
    .map((inner) => (inner.path.length === 0 ? messageOf(inner) : `${pathOf('', inner.path)}: ${messageOf(inner)}`));
  return branches.length === 0 ? issue.message : [...new Set(branches)].join('; or ');
}

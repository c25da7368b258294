import * as z from 'zod';
import type { HookEvent } from '../hooks/hook.js';
import { duration, durationOrNever, size } from './quantity.js';
import { amount, choice, flag, number, oneOrMore, type Secrets, strict, text, texts, words } from './values.js';

export const EVENTS = ['SessionStart', 'PreToolUse', 'PostToolUse'] as const satisfies readonly HookEvent[];

/** `/…/` and `/…/i` are regular expressions. */
const EXPRESSION = /^\/(.+)\/([ims]*)$/s;

function regExp(source: string, flags: string, context: z.RefinementCtx): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    context.addIssue({ code: 'custom', message: `is no regular expression: ${(error as Error).message}` });
    return z.NEVER;
  }
}

const expression = text.transform((given, context): RegExp => {
  const [, source = given, flags = ''] = EXPRESSION.exec(given) ?? [];
  return regExp(source, flags, context);
});

const toolPattern = text.transform((given, context): string | RegExp => {
  const [, source, flags = ''] = EXPRESSION.exec(given) ?? [];
  return source === undefined ? given : regExp(source, flags, context);
});

const argTest = z.union(
  [
    z.union([z.string(), number, flag, z.null()], 'must be a value, or a test'),
    strict({
      equals: z.unknown().optional(),
      oneOf: z.array(z.unknown(), 'must be a list').min(1, 'must not be an empty list').optional(),
      glob: text.optional(),
      matches: expression.optional(),
      above: number.optional(),
      below: number.optional(),
      exists: flag.optional(),
    }),
  ],
  'must be a value, or a test',
);

const matcher = z.union(
  [
    toolPattern.transform((tool) => ({ tool })),
    strict({
      tool: z
        .union(
          [toolPattern, z.array(toolPattern).min(1, 'must not be an empty list')],
          'must be a glob, or a list of globs',
        )
        .optional(),
      args: z.record(z.string(), argTest, 'must be a map of paths in the arguments').optional(),
      agent: oneOrMore.optional(),
      childRole: oneOrMore.optional(),
      platform: oneOrMore.optional(),
    }),
  ],
  {
    error: ({ input }) =>
      Array.isArray(input)
        ? 'must be a glob of a tool, or a map: for several tools, `{ tool: [a, b] }`'
        : 'must be a glob of a tool, or a map',
  },
);

const common = {
  name: text.optional(),
  match: matcher.optional(),
  priority: number.optional(),
  mode: choice('enforce', 'observe').optional(),
  onError: choice('block', 'allow').optional(),
  timeout: duration.optional(),
  exempt: oneOrMore.transform((roles) => [roles].flat()).optional(),
  version: z.union([text, number.transform(String)]).optional(),
};

/** What a person is asked, and who. */
const terms = {
  title: text.optional(),
  expires: durationOrNever.optional(),
  approvers: texts.optional(),
  channels: texts.optional(),
  requesterMayApprove: flag.optional(),
  remember: strict({ scopes: z.array(choice('session', 'arguments', 'pattern')).min(1), max: duration }).optional(),
};

const rules = z.array(
  z.union([
    text,
    strict({
      program: oneOrMore,
      flags: oneOrMore.optional(),
      args: oneOrMore.optional(),
      outside: texts.optional(),
      reason: text.optional(),
    }),
  ]),
  'must be a list of rules',
);

const bounds = { askAbove: amount.optional(), blockAbove: amount.optional() };

/** Options of hooks that are built in, below `with`. */
export const builtinOptions = (secrets: Secrets) => ({
  ApprovalGate: strict(terms),
  AuditLog: strict({
    folder: text.optional(),
    content: choice('digest', 'redacted').optional(),
    head: text.optional(),
    key: secrets.one.optional(),
    maxFileBytes: size.optional(),
  }),
  CommandGuard: strict({
    command: oneOrMore.optional(),
    deny: rules.optional(),
    ask: rules.optional(),
    allow: rules.optional(),
    otherwise: choice('deny', 'ask', 'allow').optional(),
    unclear: choice('deny', 'ask').optional(),
    writes: texts.optional(),
    shell: choice('bash', 'any').optional(),
    cwd: text.optional(),
    home: text.optional(),
    terms: strict(terms).optional(),
  }),
  PathGuard: strict({
    paths: oneOrMore,
    allow: texts.optional(),
    deny: texts.optional(),
    cwd: text.optional(),
    home: text.optional(),
    missing: choice('deny', 'allow').optional(),
  }),
  RateLimit: strict({ calls: number, per: duration.optional(), burst: number.optional(), folder: text.optional() }),
  ReadOnlyGuard: strict({
    read: texts.optional(),
    write: texts.optional(),
    commands: z.record(z.string(), text, 'must be a map of tools').optional(),
    unknown: choice('deny', 'allow').optional(),
    shell: choice('bash', 'any').optional(),
  }),
  ResultTruncate: strict({ maxCharacters: number.optional() }),
  SpendLimit: strict({
    amount: oneOrMore,
    ...bounds,
    currency: strict({ at: text, is: text }).optional(),
    perSession: strict(bounds).optional(),
    perDay: strict(bounds).optional(),
    timeZone: text.optional(),
    folder: text.optional(),
    terms: strict(terms).optional(),
  }),
});

export type Builtin = keyof ReturnType<typeof builtinOptions>;

/** Kinds of hooks, by the key that says which one it is. */
export const HOOK_KINDS = {
  use: strict({
    use: z.string('must be the name of a hook that is built in'),
    with: z.unknown().optional(),
    ...common,
  }),
  command: strict({
    command: z.union(
      [words, z.array(words).min(1, 'must not be an empty list')],
      'must be a list of words, or a line with `shell: true`',
    ),
    shell: flag.optional(),
    format: choice('claude', 'hermes').optional(),
    passEnv: texts.optional(),
    env: z.record(z.string(), z.string('must be a text'), 'must be a map of variables').optional(),
    cwd: text.optional(),
    maxOutput: size.optional(),
    modifies: flag.optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hex')
      .optional(),
    ask: strict(terms).optional(),
    ...common,
  }),
  module: strict({
    module: text,
    modifies: flag.optional(),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, 'must be a SHA-256 in hex')
      .optional(),
    ...common,
  }),
} as const;

export type HookKind = keyof typeof HOOK_KINDS;

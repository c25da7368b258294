import * as z from 'zod';
import { proposal } from '../hooks/nearest.js';

/** What a name stands for is put in where secrets are, and nowhere else. */
const REFERENCE = /\$\{/;

/** A text that is no secret. */
export const text = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .refine((value) => !REFERENCE.test(value), 'refers to a variable, and only secrets may');

/** Words of a command: a shell may know `${NAME}` itself. */
export const words = z.string('must be a text').min(1, 'must not be empty');

export const texts = z.array(text, 'must be a list of texts').min(1, 'must not be an empty list');

/** One, or a list. */
export const oneOrMore = z.union([text, texts], 'must be a text, or a list of texts');

export const flag = z.boolean('must be true or false');
export const number = z.number('must be a number');
export const amount = z.union([number, text], 'must be a number');

export function choice<const T extends readonly [string, ...string[]]>(...known: T) {
  return z.enum(known, {
    error: ({ input }) =>
      typeof input === 'string'
        ? `cannot be ${input.slice(0, 40)}.${proposal(input, known)}`
        : `must be one of: ${known.join(', ')}`,
  });
}

/** A map with these keys and no others. */
export function strict<T extends z.ZodRawShape>(shape: T) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') {
        const [wrong = ''] = issue.keys as string[];
        return `there is no \`${wrong.slice(0, 64)}\` here.${proposal(wrong, known)}`;
      }
      return 'must be a map';
    },
  });
}

const WHOLE = /^\$\{([A-Za-z_]\w*)\}$/;
const PART = /\$\{([^}]*)\}/g;

/** Secrets of one file: as they stand, or with `${NAME}` for a variable of the environment. */
export class Secrets {
  readonly #env: NodeJS.ProcessEnv;
  /** One stands in the file as it is. */
  isWritten = false;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  readonly one = z
    .string('must be a text')
    .min(1, 'must not be empty')
    .transform((given, context): string => {
      const { value, problem } = this.#resolve(given);
      if (problem === undefined) return value;
      context.addIssue({ code: 'custom', message: problem });
      return z.NEVER;
    });

  #resolve(given: string): { readonly value: string; readonly problem?: string | undefined } {
    if (!REFERENCE.test(given)) {
      this.isWritten = true;
      return { value: given };
    }
    let problem = REFERENCE.test(given.replace(PART, '')) ? 'has a reference to a variable without its end' : undefined;
    const value = given.replace(PART, (reference, name: string) => {
      const found = this.#env[name];
      if (!WHOLE.test(reference)) problem ??= `has ${reference}, which is no name of a variable`;
      else if (found === undefined || found === '') problem ??= `needs the variable ${name}, which is not set`;
      return found ?? '';
    });
    return { value, problem };
  }
}

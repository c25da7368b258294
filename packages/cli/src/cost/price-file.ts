import { readFileSync } from 'node:fs';
import { ObserverError } from '@hermes-observer/core';
import { parseDocument } from 'yaml';
import type * as z from 'zod';
import { type FilePrices, PRICE_FIELDS, pricesSchema } from './price-schema.js';

/** A list of prices in a file, YAML or JSON. @throws ObserverError `HO_OPTION`. */
export function readPrices(path: string): FilePrices {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ObserverError(
      'HO_OPTION',
      `the prices ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw new ObserverError('HO_OPTION', `${path}: ${fault.message.split('\n')[0]}`);
  const { data, error } = pricesSchema.safeParse(document.toJS());
  if (data !== undefined) return data;
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0];
  const place = (issue?.path ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  throw new ObserverError('HO_OPTION', `${path}: prices${place.join('')}: ${problemOf(issue)}`);
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    return `has no setting ${unknown}; there are ${PRICE_FIELDS.join(', ')}`;
  }
  const isWhole = issue?.path.length === 0 && issue.code === 'invalid_type';
  return `${issue?.message}${isWhole ? ', without a map around it: what cost.prices is in the file of serve' : ''}`;
}

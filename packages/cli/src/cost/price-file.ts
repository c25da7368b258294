import { readFileSync } from 'node:fs';
import { ObserverError } from '@hermes-observer/core';
import { parseDocument } from 'yaml';
import { type FilePrices, pricesSchema } from './price-schema.js';

/** A list of prices in a file, YAML or JSON. @throws ObserverError `HO_OPTION`. */
export function readPrices(path: string): FilePrices {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ObserverError('HO_OPTION', `the prices ${path} cannot be read: ${String(cause)}`, { cause });
  }
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw new ObserverError('HO_OPTION', `${path}: ${fault.message.split('\n')[0]}`);
  const { data, error } = pricesSchema.safeParse(document.toJS());
  if (data !== undefined) return data;
  const [issue] = error.issues;
  const place = (issue?.path ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  throw new ObserverError('HO_OPTION', `${path}: prices${place.join('')}: ${issue?.message}`);
}

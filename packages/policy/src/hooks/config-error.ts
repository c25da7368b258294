import { ObserverError } from '@hermes-observer/core';
import { proposal } from './nearest.js';

export const configError = (message: string, cause?: unknown): ObserverError =>
  new ObserverError('HO_POLICY_CONFIG', message, cause === undefined ? undefined : { cause });

/** Throws `HO_POLICY_CONFIG` for a name that is none of the known ones. */
export function checkName(name: string, known: readonly string[], where: string): void {
  if (!known.includes(name)) {
    throw configError(`${where} has no field \`${name.slice(0, 64)}\`.${proposal(name, known)}`);
  }
}

/** An object with no other fields than these. */
export function checkFields(value: unknown, known: readonly string[], where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw configError(`${where} must be an object, got ${kindOf(value)}.`);
  }
  for (const name of Object.keys(value)) checkName(name, known, where);
  return value as Record<string, unknown>;
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 40))
    : typeof value === 'object'
      ? 'an object'
      : String(value).slice(0, 40);
}

import { createHash, createHmac } from 'node:crypto';
import { ObserverError } from '@hermes-observer/core';

/** What one entry says, beside its number, its time and its place in the chain. Plain JSON. */
export type AuditFields = Readonly<Record<string, unknown>> & { readonly kind: string };

/** Number and hash of an entry: the next one names it. */
export interface ChainPoint {
  /** From 1. 0 before the first entry. */
  readonly n: number;
  /** SHA-256 in hex; with a key, HMAC-SHA256. */
  readonly hash: string;
}

export const START: ChainPoint = Object.freeze({ n: 0, hash: '0'.repeat(64) });

export type AuditKey = string | Uint8Array | undefined;

export const hashOf = (text: string, key: AuditKey): string =>
  (key === undefined ? createHash('sha256') : createHmac('sha256', key)).update(text).digest('hex');

/** `…,"prev":"<64>","hash":"<64>"}`: the hash is of all that stands before its comma. */
const TAIL = /,"prev":"([0-9a-f]{64})","hash":"([0-9a-f]{64})"\}$/;
const HASH_PART = ',"hash":""}'.length + 64;

export function writeLine(
  fields: AuditFields,
  at: Date,
  before: ChainPoint,
  key: AuditKey,
): { line: string; point: ChainPoint } {
  const n = before.n + 1;
  const body = JSON.stringify({ n, at: at.toISOString(), ...fields, prev: before.hash }).slice(0, -1);
  const hash = hashOf(body, key);
  return { line: `${body},"hash":"${hash}"}\n`, point: { n, hash } };
}

export interface ReadLine extends ChainPoint {
  readonly prev: string;
}

/** A line without its end. A text says what is wrong with it. */
export function readAuditLine(line: string, key: AuditKey): ReadLine | string {
  const [, prev, hash] = TAIL.exec(line) ?? [];
  if (prev === undefined || hash === undefined) return 'it is no entry of an audit log';
  if (hashOf(line.slice(0, -HASH_PART), key) !== hash)
    return 'it was changed, or another key was used: its hash is of another text';
  let n: unknown;
  try {
    n = (JSON.parse(line) as { n?: unknown }).n;
  } catch {
    return 'it is no JSON';
  }
  return Number.isSafeInteger(n) ? { n: n as number, prev, hash } : 'it has no number';
}

export const auditError = (message: string, cause?: unknown): ObserverError =>
  new ObserverError('HO_POLICY_AUDIT', message, cause === undefined ? undefined : { cause });

/** At least as long as what it makes. */
export function checkKey(key: unknown): AuditKey {
  if (key === undefined) return undefined;
  const isText = typeof key === 'string' || key instanceof Uint8Array;
  if (isText && key.length >= 32) return key;
  throw auditError('The key of an audit log must have at least 32 bytes.');
}

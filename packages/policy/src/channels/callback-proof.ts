import type { CallbackRequest } from './base-channel.js';

/** What `verify` of a channel says. `why` is for operators; whoever sent it is told nothing. */
export type Proof = { readonly ok: true } | { readonly ok: false; readonly why: string };

export const PROVEN: Proof = { ok: true };
export const refused = (why: string): Proof => ({ ok: false, why });

/** How far the time of a callback may be from now, in both directions. */
export const WINDOW_MS = 5 * 60_000;

/** A header that stands there once. One that is sent twice is none: two readers could take different ones. */
export function headerOf({ headers }: CallbackRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Why a time in Unix seconds, as a header gives it, is not good at `now` (Unix milliseconds). Nothing: it is. */
export function timeFault(seconds: string | undefined, now: number): string | undefined {
  // Ten digits exactly: where a signature runs over time and nonce without a mark between them, digits could wander.
  if (seconds === undefined || !/^\d{10}$/.test(seconds)) return 'the timestamp is missing or no Unix seconds';
  const off = now - Number(seconds) * 1000;
  if (off > WINDOW_MS) return 'the timestamp is older than five minutes';
  if (off < -WINDOW_MS) return 'the timestamp is more than five minutes ahead';
  return undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The body as text. @throws TypeError for what is no UTF-8. */
export function textOf({ body }: CallbackRequest): string {
  return decoder.decode(body);
}

export type Fields = Readonly<Record<string, unknown>>;

/** @throws Error for what is no JSON object. */
export function fieldsOf(json: string): Fields {
  const value: unknown = JSON.parse(json);
  if (!isFields(value)) throw new Error('not a JSON object');
  return value;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object in that field, or one without fields. */
export function inner(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isFields(value) ? value : {};
}

/** A text that is not empty and not long. @throws Error for anything else. */
export function idOf(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '' || value.length > 256) throw new Error(`${name} is missing`);
  return value;
}

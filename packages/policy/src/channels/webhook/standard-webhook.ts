import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { ObserverError } from '@hermes-observer/core';
import type { CallbackRequest } from '../base-channel.js';
import { headerOf, PROVEN, type Proof, refused, timeFault } from '../callback-proof.js';

/** Fewest bytes of a secret, as Standard Webhooks asks for. */
const LEAST_BYTES = 24;
const MOST_SIGNATURES = 16;

/** Headers of a signed message. */
export interface SignedHeaders extends Readonly<Record<string, string>> {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

/** Signs and verifies as Standard Webhooks 1.0 says (`v1`: HMAC-SHA256 over `id.timestamp.body`). */
export class StandardWebhook {
  readonly #keys: readonly Buffer[];

  /**
   * @param secrets `whsec_` and base64 of 24 bytes or more; the first ones first. Several while one is replaced: all sign, any verifies
   * @throws ObserverError `HO_POLICY_CONFIG`
   */
  constructor(channel: string, secrets: readonly string[]) {
    this.#keys = secrets.map((secret) => keyOf(channel, secret));
    if (this.#keys.length === 0) throw new ObserverError('HO_POLICY_CONFIG', `${channel}: it has no secret.`);
  }

  static newId(): string {
    return `msg_${randomUUID().replaceAll('-', '')}`;
  }

  /** @param now Unix milliseconds */
  sign(id: string, body: string, now: number): SignedHeaders {
    const time = String(Math.floor(now / 1000));
    const signatures = this.#keys.map((key) => `v1,${signature(key, id, time, body).toString('base64')}`);
    return { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures.join(' ') };
  }

  verify(request: CallbackRequest, now: number): Proof {
    const id = headerOf(request, 'webhook-id');
    const time = headerOf(request, 'webhook-timestamp');
    const given = (headerOf(request, 'webhook-signature') ?? '').split(' ');
    // A dot in the id could move what belongs to the time.
    if (id === undefined || !/^[\w-]{1,128}$/.test(id)) return refused('webhook-id is missing or malformed');
    const fault = timeFault(time, now);
    if (fault !== undefined || time === undefined) return refused(fault ?? '');
    if (given.length > MOST_SIGNATURES) return refused('there are too many signatures');
    const expected = this.#keys.map((key) => signature(key, id, time, request.body));
    const isSigned = given.map((one) => {
      const bytes = Buffer.from(/^v1,([A-Za-z0-9+/]{43}=)$/.exec(one)?.[1] ?? '', 'base64');
      return expected.some((right) => bytes.length === right.length && timingSafeEqual(bytes, right));
    });
    return isSigned.includes(true) ? PROVEN : refused('the signature is missing or wrong');
  }
}

function signature(key: Buffer, id: string, time: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest();
}

function keyOf(channel: string, secret: string): Buffer {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(typeof secret === 'string' ? secret : '') ?? [];
  const key = Buffer.from(base64 ?? '', 'base64');
  if (key.length >= LEAST_BYTES) return key;
  throw new ObserverError(
    'HO_POLICY_CONFIG',
    `${channel}: a secret is \`whsec_\` and base64 of at least ${LEAST_BYTES} bytes.`,
  );
}

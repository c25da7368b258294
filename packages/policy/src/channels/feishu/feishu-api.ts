import { ObserverError } from '@hermes-observer/core';
import { type Fields, fieldsOf, inner } from '../callback-proof.js';
import { channelFetch } from '../channel-fetch.js';

/** Codes that say that the token is no longer good. */
const STALE_CODES: readonly unknown[] = [99991661, 99991663, 99991664, 99991668];
/** A token is renewed so long before it ends. */
const SPARE_MS = 5 * 60_000;
const SHORTEST_MS = 10_000;

export interface FeishuApp {
  readonly appId: string;
  readonly appSecret: string;
}

/** The part of Feishu's and Lark's open API that cards need. Keeps the tenant token until shortly before it ends. */
export class FeishuApi {
  readonly #channel: string;
  readonly #base: string;
  readonly #app: FeishuApp;
  readonly #timeoutMs: number;
  readonly #now: () => number;
  #token: { readonly text: Promise<string>; until: number } | undefined;

  /** @param base such as `https://open.feishu.cn`, without a slash at its end */
  constructor(channel: string, base: string, app: FeishuApp, timeoutMs: number, now: () => number) {
    this.#channel = channel;
    this.#base = base;
    this.#app = app;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
  }

  /** The `data` of the answer. @throws ObserverError `HO_POLICY_CHANNEL` with Feishu's own code. */
  async call(method: 'POST' | 'PATCH', path: string, fields: Fields): Promise<Fields> {
    let answer = await this.#send(method, path, fields, await this.#tenantToken());
    if (STALE_CODES.includes(answer.code)) {
      this.#token = undefined;
      answer = await this.#send(method, path, fields, await this.#tenantToken());
    }
    if (answer.code === 0) return inner(answer, 'data');
    throw this.#error(path, answer.code);
  }

  /** One request for all who wait. One that failed is not kept. */
  #tenantToken(): Promise<string> {
    if (this.#token !== undefined && this.#now() < this.#token.until) return this.#token.text;
    const began = this.#now();
    const given = this.#askToken();
    const token = { text: given.then(({ text }) => text), until: Number.POSITIVE_INFINITY };
    this.#token = token;
    given.then(
      ({ ms }) => {
        token.until = began + Math.max(ms - SPARE_MS, Math.min(ms, SHORTEST_MS));
      },
      () => {
        if (this.#token === token) this.#token = undefined;
      },
    );
    return token.text;
  }

  async #askToken(): Promise<{ text: string; ms: number }> {
    const path = '/open-apis/auth/v3/tenant_access_token/internal';
    const { appId, appSecret } = this.#app;
    const answer = await this.#send('POST', path, { app_id: appId, app_secret: appSecret }, undefined);
    const { code, tenant_access_token: text, expire } = answer;
    if (code !== 0 || typeof text !== 'string' || text === '') throw this.#error(path, code);
    return { text, ms: typeof expire === 'number' && expire > 0 ? expire * 1000 : 0 };
  }

  async #send(method: 'POST' | 'PATCH', path: string, fields: Fields, token: string | undefined): Promise<Fields> {
    const { status, text } = await channelFetch(`${this.#base}${path}`, {
      method,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(fields),
      timeoutMs: this.#timeoutMs,
    });
    try {
      return fieldsOf(text);
    } catch {
      throw this.#error(path, `HTTP ${status}`);
    }
  }

  #error(path: string, code: unknown): ObserverError {
    const word = typeof code === 'number' || typeof code === 'string' ? code : 'without a code';
    return new ObserverError('HO_POLICY_CHANNEL', `${this.#channel}: ${path.replace(/\?.*/, '')} answered ${word}.`);
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import { ObserverError } from '@hermes-observer/core';
import { type Fields, fieldsOf } from '../callback-proof.js';
import { channelFetch } from '../channel-fetch.js';

const LONGEST_WAIT_S = 5;

/** Methods of Slack's Web API, by `fetch`. */
export class SlackApi {
  readonly #channel: string;
  readonly #base: string;
  readonly #token: string;
  readonly #timeoutMs: number;

  /** @param base such as `https://slack.com/api`, without a slash at its end */
  constructor(channel: string, base: string, token: string, timeoutMs: number) {
    this.#channel = channel;
    this.#base = base;
    this.#token = token;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws ObserverError `HO_POLICY_CHANNEL` with Slack's own word. Waits once, up to 5 s, where Slack says that it is too fast. */
  async call(method: string, fields: Fields): Promise<Fields> {
    const request = {
      method: 'POST' as const,
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${this.#token}` },
      body: JSON.stringify(fields),
      timeoutMs: this.#timeoutMs,
    };
    let answer = await channelFetch(`${this.#base}/${method}`, request);
    if (answer.status === 429 && (answer.retryAfter ?? 1) <= LONGEST_WAIT_S) {
      await wait((answer.retryAfter ?? 1) * 1000);
      answer = await channelFetch(`${this.#base}/${method}`, request);
    }
    const result = answer.status === 200 ? parsed(answer.text) : {};
    if (result.ok === true) return result;
    const word = typeof result.error === 'string' && /^\w{1,64}$/.test(result.error) ? result.error : answer.status;
    throw new ObserverError('HO_POLICY_CHANNEL', `${this.#channel}: ${method} answered ${word}.`);
  }
}

function parsed(text: string): Fields {
  try {
    return fieldsOf(text);
  } catch {
    return {};
  }
}

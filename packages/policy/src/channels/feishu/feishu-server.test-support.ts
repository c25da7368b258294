import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import type { ApprovalCard, CallbackRequest } from '../base-channel.js';
import { type Answer, callback, type Got, LocalServer } from '../scene.test-support.js';
import { VALUE_FIELD } from './feishu-card.js';

export const ENCRYPT_KEY = 'kudryavka';
export const VERIFICATION_TOKEN = 'v-token-of-the-app';

/** Feishu's open API as far as it is used: tokens that end, and messages of at most 30 KB. */
export class FeishuServer {
  readonly #server = new LocalServer((got) => this.#answer(got));
  readonly cards: { method: string; path: string; card: Record<string, unknown> }[] = [];
  tokens = 0;
  /** Seconds that a token is good for. */
  expire = 7200;
  /** Tokens up to this one are no longer taken. */
  staleUpTo = 0;
  senderTenant: string | undefined = 't-1';

  open(): Promise<string> {
    return this.#server.open();
  }

  close(): void {
    this.#server.close();
  }

  get lastElements(): Record<string, unknown>[] {
    const body = this.cards.at(-1)?.card.body as { elements: Record<string, unknown>[] } | undefined;
    return body?.elements ?? [];
  }

  #answer({ method, path, headers, text }: Got): Answer {
    const fields = JSON.parse(text) as Record<string, string>;
    if (path === '/open-apis/auth/v3/tenant_access_token/internal') {
      if (fields.app_secret !== 'secret') return { body: { code: 10014, msg: 'app secret invalid' } };
      this.tokens++;
      return { body: { code: 0, msg: 'ok', tenant_access_token: `t-${this.tokens}`, expire: this.expire } };
    }
    const [, number] = /^Bearer t-(\d+)$/.exec(headers.authorization ?? '') ?? [];
    if (number === undefined || Number(number) <= this.staleUpTo)
      return { status: 400, body: { code: 99991663, msg: 'stale' } };
    if (Buffer.byteLength(text) > 30 * 1024) return { status: 400, body: { code: 230025, msg: 'too long' } };
    const card = JSON.parse(fields.content ?? '') as Record<string, unknown>;
    if (card.schema !== '2.0' || buttonsOf(card).some(({ name }) => typeof name !== 'string')) {
      return { status: 400, body: { code: 200340, msg: 'a button has no name' } };
    }
    this.cards.push({ method, path, card });
    const sender = { id: 'cli_1', id_type: 'app_id', sender_type: 'app', tenant_key: this.senderTenant };
    return { body: { code: 0, data: { message_id: 'om_1', chat_id: 'oc_1', sender } } };
  }
}

export function buttonsOf(card: Record<string, unknown>): Record<string, unknown>[] {
  const { elements } = card.body as { elements: Record<string, unknown>[] };
  return elements.filter(({ tag }) => tag === 'button');
}

export interface FeishuClick {
  readonly card: ApprovalCard;
  readonly value?: string;
  readonly openId?: string;
  readonly tenant?: string;
  readonly chat?: string;
  readonly message?: string;
  readonly token?: string;
  readonly eventId?: string;
}

let events = 0;

/** A click as `card.action.trigger` of schema 2.0. */
export function clickEvent({
  card,
  value,
  openId = 'ou_ada',
  tenant = 't-1',
  chat = 'oc_1',
  message = 'om_1',
  token,
  eventId,
}: FeishuClick) {
  events++;
  return {
    schema: '2.0',
    header: {
      event_id: eventId ?? `event-${events}`,
      token: token ?? VERIFICATION_TOKEN,
      create_time: '1790000000000000',
      event_type: 'card.action.trigger',
      tenant_key: tenant,
      app_id: 'cli_1',
    },
    event: {
      operator: { tenant_key: tenant, user_id: 'u1', open_id: openId, union_id: 'on_ada' },
      token: 'c-295ee57216a5dc9de90fefd0aadb4b1d7d',
      action: {
        value: { [VALUE_FIELD]: value ?? `approve.${card.approval.id}.${card.token}.0` },
        tag: 'button',
        name: 'hermes_approve',
      },
      host: 'im_message',
      context: { open_message_id: message, open_chat_id: chat },
    },
  };
}

/** The same click as the old kind of callback. */
export function oldClick({ card, openId = 'ou_ada', tenant = 't-1', chat = 'oc_1', message = 'om_1' }: FeishuClick) {
  return {
    open_id: openId,
    user_id: 'u1',
    open_message_id: message,
    open_chat_id: chat,
    tenant_key: tenant,
    token: 'c-295ee57216a5dc9de90fefd0aadb4b1d7d',
    action: { value: { [VALUE_FIELD]: `approve.${card.approval.id}.${card.token}.0` }, tag: 'button' },
  };
}

/** AES-256-CBC as Feishu does it. */
export function encrypted(event: unknown, encryptKey = ENCRYPT_KEY): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', createHash('sha256').update(encryptKey).digest(), iv);
  return Buffer.concat([iv, cipher.update(JSON.stringify(event)), cipher.final()]).toString('base64');
}

/** Signs as Feishu does: `sha256` with the Encrypt Key, `sha1` with the Verification Token. `now`: Unix milliseconds. */
export function signedByFeishu(
  body: string | Buffer,
  algorithm: 'sha256' | 'sha1',
  key: string,
  now: number,
): CallbackRequest {
  const time = String(Math.floor(now / 1000));
  const nonce = randomBytes(8).toString('hex');
  const signature = createHash(algorithm)
    .update(time + nonce + key + body)
    .digest('hex');
  return callback(body, {
    'content-type': 'application/json',
    'x-lark-request-timestamp': time,
    'x-lark-request-nonce': nonce,
    'x-lark-signature': signature,
  });
}

/** An encrypted and signed event. */
export function delivered(event: unknown, now: number, encryptKey = ENCRYPT_KEY): CallbackRequest {
  return signedByFeishu(JSON.stringify({ encrypt: encrypted(event, encryptKey) }), 'sha256', encryptKey, now);
}

import { ObserverError } from '@hermes-observer/core';
import type { Approval, MessageRef } from '../../approvals/approval.js';
import type {
  ApprovalCard,
  BaseChannel,
  CallbackReply,
  CallbackRequest,
  ChannelEvent,
  DecisionOutcome,
} from '../base-channel.js';
import { type Fields, inner, type Proof } from '../callback-proof.js';
import { checkedAddress, checkedName, checkedText } from '../channel-fetch.js';
import { FeishuApi } from './feishu-api.js';
import { type FeishuKeys, parseFeishu, verifyFeishu } from './feishu-callback.js';
import { outcomeCard, requestCard } from './feishu-card.js';

export interface FeishuChannelOptions {
  /** @default 'feishu' */
  readonly name?: string | undefined;
  readonly appId: string;
  readonly appSecret: string;
  /** Whom it asks: a chat (`oc_…`), or a person (`ou_…`). */
  readonly receiveId: string;
  /** @default 'chat_id' for `oc_…`, 'open_id' for `ou_…` */
  readonly receiveIdType?: 'chat_id' | 'open_id' | 'user_id' | 'union_id' | 'email' | undefined;
  /** Of the app. Without it no callback is taken. */
  readonly verificationToken?: string | undefined;
  /** Of the app. Without it Feishu signs no callbacks but those of the old kind, and only signed ones are taken. */
  readonly encryptKey?: string | undefined;
  /** Takes callbacks of the old kind (`card.action.trigger_v1`), whose signature is weaker. @default only without `encryptKey` */
  readonly oldCallbacks?: boolean | undefined;
  /** Key of the tenant (`tenant_key`): a card that comes into another one is an error. @default that of the first card */
  readonly tenantKey?: string | undefined;
  /** Which id of a person counts, in lists of approvers too. @default 'open_id' */
  readonly idType?: 'open_id' | 'user_id' | 'union_id' | undefined;
  /** `feishu`: open.feishu.cn. `lark`: open.larksuite.com. @default 'feishu' */
  readonly site?: 'feishu' | 'lark' | undefined;
  /** Instead of `site`, such as a proxy. */
  readonly baseUrl?: string | undefined;
  /** Milliseconds for each call of the API. @default 10000 */
  readonly timeoutMs?: number | undefined;
  /** Unix milliseconds. For tests. */
  readonly now?: (() => number) | undefined;
}

const SITES = { feishu: 'https://open.feishu.cn', lark: 'https://open.larksuite.com' };

/** Cards with buttons in a chat of Feishu or Lark. The app needs a bot, `im:message:send_as_bot`, and the callback `card.action.trigger`. */
export class FeishuChannel implements BaseChannel {
  readonly name: string;
  readonly #api: FeishuApi;
  readonly #keys: FeishuKeys;
  readonly #options: FeishuChannelOptions;

  /** @throws ObserverError `HO_POLICY_CONFIG` */
  constructor(options: FeishuChannelOptions) {
    this.name = checkedName(options.name ?? 'feishu');
    const appId = checkedText(this.name, 'appId', options.appId);
    const appSecret = checkedText(this.name, 'appSecret', options.appSecret);
    checkedText(this.name, 'receiveId', options.receiveId);
    const site = SITES[options.site ?? 'feishu'];
    if (site === undefined) throw new ObserverError('HO_POLICY_CONFIG', `${this.name}: \`site\` is feishu or lark.`);
    const base = checkedAddress(this.name, options.baseUrl ?? site);
    const { timeoutMs = 10_000, now = Date.now } = options;
    this.#api = new FeishuApi(this.name, base, { appId, appSecret }, timeoutMs, now);
    const { encryptKey = '', verificationToken = '' } = options;
    this.#keys = { encryptKey, verificationToken, takesOld: options.oldCallbacks ?? encryptKey === '' };
    this.#options = options;
  }

  async send(card: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    const { receiveId, tenantKey } = this.#options;
    const data = await this.#api.call('POST', `/open-apis/im/v1/messages?receive_id_type=${this.#receiveIdType()}`, {
      receive_id: receiveId,
      msg_type: 'interactive',
      content: JSON.stringify(requestCard(card)),
      // Sent again, it is the same message for an hour.
      uuid: card.token.slice(0, 50),
    });
    const tenant = this.#textIn(inner(data, 'sender'), 'tenant_key', tenantKey);
    return { tenant, chat: this.#textIn(data, 'chat_id'), message: this.#textIn(data, 'message_id') };
  }

  async update({ message }: MessageRef, approval: Approval): Promise<void> {
    const content = JSON.stringify(outcomeCard(approval));
    await this.#api.call('PATCH', `/open-apis/im/v1/messages/${encodeURIComponent(message)}`, { content });
  }

  verify(request: CallbackRequest, now: number): Proof {
    return verifyFeishu(request, this.#keys, now);
  }

  parse(request: CallbackRequest): ChannelEvent {
    return parseFeishu(request, this.#keys, this.name, this.#options.idType ?? 'open_id');
  }

  /** A short text for who clicked; and for all, once it is decided, the card without buttons. */
  reply({ ok, text, approval }: DecisionOutcome): CallbackReply {
    const isOver = approval !== undefined && approval.state !== 'pending';
    const body = {
      toast: { type: ok ? 'success' : 'warning', content: text },
      ...(isOver ? { card: { type: 'raw', data: outcomeCard(approval) } } : {}),
    };
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  }

  #receiveIdType(): string {
    const { receiveId, receiveIdType } = this.#options;
    return receiveIdType ?? (receiveId.startsWith('ou_') ? 'open_id' : 'chat_id');
  }

  #textIn(fields: Fields, field: string, expected?: string): string {
    const value = fields[field] ?? expected;
    if (typeof value === 'string' && value !== '' && (expected === undefined || value === expected)) return value;
    const what =
      typeof value === 'string' && value !== '' ? `another \`${field}\` than the set one` : `no \`${field}\``;
    throw new ObserverError(
      'HO_POLICY_CHANNEL',
      `${this.name}: the card was sent, with ${what}: nobody could answer it.`,
    );
  }
}

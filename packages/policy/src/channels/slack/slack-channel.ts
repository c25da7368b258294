import { ObserverError } from '@hermes-observer/core';
import type { Approval, MessageRef } from '../../approvals/approval.js';
import type {
  ApprovalCard,
  BaseChannel,
  CallbackReply,
  CallbackRequest,
  ChannelDecision,
  ChannelEvent,
  DecisionOutcome,
} from '../base-channel.js';
import type { Proof } from '../callback-proof.js';
import { checkedAddress, checkedName, checkedText } from '../channel-fetch.js';
import { SlackApi } from './slack-api.js';
import { escapeMarkup, outcomeMessage, requestMessage } from './slack-blocks.js';
import { parseSlack, verifySlack } from './slack-callback.js';

export interface SlackChannelOptions {
  /** @default 'slack' */
  readonly name?: string | undefined;
  /** Bot token (`xoxb-…`) with `chat:write`. */
  readonly token: string;
  /** Of the app: verifies callbacks. Without it none is taken. */
  readonly signingSecret: string;
  /** Id of the conversation it asks in (`C…`), no name. */
  readonly channel: string;
  /** Id of the app (`A…`): a callback of another one is refused. */
  readonly appId?: string | undefined;
  /** @default 'https://slack.com/api' */
  readonly baseUrl?: string | undefined;
  /** Milliseconds for each call of Slack's API. @default 10000 */
  readonly timeoutMs?: number | undefined;
}

/**
 * Messages with buttons in one conversation of Slack. Interactivity of the app has to be on, with the callback's address. Approvers
 * are ids of users: `slack:U024BE7LH`.
 */
export class SlackChannel implements BaseChannel {
  readonly name: string;
  readonly #api: SlackApi;
  readonly #options: SlackChannelOptions;
  #team: Promise<string> | undefined;

  /** @throws ObserverError `HO_POLICY_CONFIG` */
  constructor(options: SlackChannelOptions) {
    this.name = checkedName(options.name ?? 'slack');
    const token = checkedText(this.name, 'token', options.token);
    checkedText(this.name, 'signingSecret', options.signingSecret);
    if (!/^[CDG][A-Z0-9]{2,30}$/.test(checkedText(this.name, 'channel', options.channel))) {
      throw new ObserverError(
        'HO_POLICY_CONFIG',
        `${this.name}: \`channel\` is the id of a conversation, such as C024BE91L.`,
      );
    }
    const base = checkedAddress(this.name, options.baseUrl ?? 'https://slack.com/api');
    this.#api = new SlackApi(this.name, base, token, options.timeoutMs ?? 10_000);
    this.#options = options;
  }

  async send(card: ApprovalCard): Promise<Omit<MessageRef, 'channel'>> {
    const tenant = await this.#ownTeam();
    const { channel, ts } = await this.#api.call('chat.postMessage', {
      channel: this.#options.channel,
      ...requestMessage(card),
      ...AS_IT_IS,
    });
    if (typeof channel !== 'string' || typeof ts !== 'string') {
      throw new ObserverError('HO_POLICY_CHANNEL', `${this.name}: chat.postMessage answered without channel and ts.`);
    }
    return { tenant, chat: channel, message: ts };
  }

  async update({ chat, message }: MessageRef, approval: Approval): Promise<void> {
    await this.#api.call('chat.update', {
      channel: chat,
      ts: message,
      ...outcomeMessage(approval, this.name),
      ...AS_IT_IS,
    });
  }

  verify(request: CallbackRequest, now: number): Proof {
    return verifySlack(request, this.#options.signingSecret, now);
  }

  parse(request: CallbackRequest): ChannelEvent {
    return parseSlack(request, this.name, this.#options.appId);
  }

  /** Slack shows nothing of an answer to a click. */
  reply(): CallbackReply {
    return { status: 200, body: '' };
  }

  /** Whoever clicked in vain reads why, and nobody else. */
  async tell({ ok, text }: DecisionOutcome, { decider, source }: ChannelDecision): Promise<void> {
    if (ok) return;
    const fields = { channel: source.chat, user: decider.id, text: escapeMarkup(text), ...AS_IT_IS };
    await this.#api.call('chat.postEphemeral', fields);
  }

  /** Team of the token, asked once. */
  #ownTeam(): Promise<string> {
    this.#team ??= this.#api.call('auth.test', {}).then(({ team_id: team }) => {
      if (typeof team === 'string' && team !== '') return team;
      throw new ObserverError('HO_POLICY_CHANNEL', `${this.name}: auth.test answered without a team.`);
    });
    this.#team.catch(() => {
      this.#team = undefined;
    });
    return this.#team;
  }
}

/** Slack is to make nothing of a text. */
const AS_IT_IS = { mrkdwn: false, parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false };

import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '../../call/same-secret.js';
import type { CallbackRequest, ChannelEvent } from '../base-channel.js';
import {
  type Fields,
  fieldsOf,
  headerOf,
  idOf,
  inner,
  isFields,
  PROVEN,
  type Proof,
  refused,
  textOf,
  timeFault,
} from '../callback-proof.js';
import { choiceOf } from '../choice-value.js';
import { ACTION_PREFIX } from './slack-blocks.js';

/** Whether Slack's `v0` signature is that of these very bytes, and its time near `now`. */
export function verifySlack(request: CallbackRequest, signingSecret: string, now: number): Proof {
  if (signingSecret === '') return refused('the signing secret is not set');
  const time = headerOf(request, 'x-slack-request-timestamp');
  const given = headerOf(request, 'x-slack-signature');
  const fault = timeFault(time, now);
  if (fault !== undefined) return refused(fault);
  const right = createHmac('sha256', signingSecret).update(`v0:${time}:`).update(request.body).digest('hex');
  return isSameSecret(given ?? '', `v0=${right}`) ? PROVEN : refused('the signature is missing or wrong');
}

/**
 * The click in an interactivity request. Whoever is of another workspace than the message, as in shared channels, answers from
 * that one, and so from elsewhere.
 * @throws Error for what it cannot read
 */
export function parseSlack(request: CallbackRequest, channel: string, appId: string | undefined): ChannelEvent {
  const form = new URLSearchParams(textOf(request));
  const [json, ...more] = form.getAll('payload');
  if (json === undefined && form.get('ssl_check') === '1') return NOTHING;
  if (json === undefined || more.length > 0) throw new Error('it has no payload, or two');
  const payload = fieldsOf(json);
  const action = payload.type === 'block_actions' ? ours(payload.actions) : undefined;
  if (action === undefined) return NOTHING;
  if (appId !== undefined && payload.api_app_id !== appId) throw new Error('it is of another app');
  const user = inner(payload, 'user');
  const team = idOf(inner(payload, 'team'), 'id');
  return {
    kind: 'decision',
    ...choiceOf(action.value),
    decider: { channel, id: idOf(user, 'id') },
    source: {
      tenant: user.team_id === undefined ? team : idOf(user, 'team_id'),
      chat: one(inner(payload, 'channel').id, inner(payload, 'container').channel_id),
      message: one(inner(payload, 'message').ts, inner(payload, 'container').message_ts),
    },
    // Slack gives a click no id of its own; its signature is one, and cannot be made for another.
    eventId: createHash('sha256')
      .update(headerOf(request, 'x-slack-signature') ?? '')
      .digest('base64url'),
  };
}

const NOTHING: ChannelEvent = { kind: 'reply', reply: { status: 200, body: '' } };

/** One click is one action. */
function ours(actions: unknown): Fields | undefined {
  if (!Array.isArray(actions) || actions.length !== 1 || !isFields(actions[0])) return undefined;
  const { action_id: id } = actions[0];
  return typeof id === 'string' && id.startsWith(ACTION_PREFIX) ? actions[0] : undefined;
}

/** What two places of a payload say, if they say the same. */
function one(first: unknown, second: unknown): string {
  const value = first ?? second;
  if (typeof value !== 'string' || value === '') throw new Error('the message it belongs to is missing');
  if (second !== undefined && second !== value) throw new Error('it names two messages');
  return value;
}

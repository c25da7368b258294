import { createDecipheriv, createHash } from 'node:crypto';
import { isSameSecret } from '../../call/same-secret.js';
import type { CallbackRequest, ChannelDecision, ChannelEvent } from '../base-channel.js';
import {
  type Fields,
  fieldsOf,
  headerOf,
  idOf,
  inner,
  PROVEN,
  type Proof,
  refused,
  textOf,
  timeFault,
} from '../callback-proof.js';
import { choiceOf } from '../choice-value.js';
import { VALUE_FIELD } from './feishu-card.js';

export interface FeishuKeys {
  /** Encrypt Key of the app. Empty: Feishu signs no callbacks but old ones. */
  readonly encryptKey: string;
  /** Verification Token of the app. Empty: nothing is taken. */
  readonly verificationToken: string;
  /** Whether callbacks of the old kind count. */
  readonly takesOld: boolean;
}

/**
 * Whether a callback is from Feishu: by SHA-256 over the bytes and the Encrypt Key, or for callbacks of the old kind by SHA-1 over
 * the bytes and the Verification Token; then by the token inside. Only a check of the address may come without a signature: it is
 * answered with what it sent, and decides nothing.
 */
export function verifyFeishu(request: CallbackRequest, keys: FeishuKeys, now: number): Proof {
  if (keys.verificationToken === '') return refused('the verification token is not set');
  const given = headerOf(request, 'x-lark-signature');
  if (given === undefined) return verifyAddressCheck(request, keys);
  const time = headerOf(request, 'x-lark-request-timestamp');
  const nonce = headerOf(request, 'x-lark-request-nonce');
  const fault = timeFault(time, now);
  if (fault !== undefined) return refused(fault);
  if (nonce === undefined || nonce === '' || nonce.length > 128) return refused('the nonce is missing');
  const isSigned = (algorithm: 'sha1' | 'sha256', key: string) =>
    isSameSecret(given, createHash(algorithm).update(`${time}${nonce}${key}`).update(request.body).digest('hex'));
  if (keys.encryptKey !== '' && isSigned('sha256', keys.encryptKey)) {
    const isTokenRight = isSameSecret(tokenOf(openFeishu(request, keys)), keys.verificationToken);
    return isTokenRight ? PROVEN : refused('the verification token is wrong');
  }
  // The token inside an old callback is another one, for changing the card; its signature has ours in it.
  if (keys.takesOld && isSigned('sha1', keys.verificationToken)) {
    return openFeishu(request, keys).schema === undefined ? PROVEN : refused('the signature is of the old kind');
  }
  if (keys.encryptKey === '' && !keys.takesOld) return refused('the encrypt key is not set');
  return refused('the signature is missing or wrong');
}

function verifyAddressCheck(request: CallbackRequest, keys: FeishuKeys): Proof {
  const opened = openFeishu(request, keys);
  if (opened.type !== 'url_verification') return refused('the signature is missing or wrong');
  return isSameSecret(tokenOf(opened), keys.verificationToken) ? PROVEN : refused('the verification token is wrong');
}

/** @throws Error for what it cannot read */
export function parseFeishu(
  request: CallbackRequest,
  keys: FeishuKeys,
  channel: string,
  idType: 'open_id' | 'user_id' | 'union_id',
): ChannelEvent {
  const opened = openFeishu(request, keys);
  if (opened.type === 'url_verification') return json({ challenge: idOf(opened, 'challenge') });
  if (opened.schema === undefined) return oldDecision(request, opened, channel, idType);
  const header = inner(opened, 'header');
  if (header.event_type !== 'card.action.trigger') return json({});
  const event = inner(opened, 'event');
  const value = inner(inner(event, 'action'), 'value')[VALUE_FIELD];
  if (value === undefined) return json({});
  const operator = inner(event, 'operator');
  return decision({
    ...choiceOf(value),
    decider: { channel, id: idOf(operator, idType) },
    source: {
      tenant: one(header.tenant_key, operator.tenant_key),
      chat: one(inner(event, 'context').open_chat_id, event.open_chat_id),
      message: one(inner(event, 'context').open_message_id, event.open_message_id),
    },
    eventId: idOf(header, 'event_id'),
  });
}

/** Callbacks of the old kind have no id: the signature, with time and nonce in it, is one. */
function oldDecision(request: CallbackRequest, opened: Fields, channel: string, idType: string): ChannelEvent {
  const value = inner(inner(opened, 'action'), 'value')[VALUE_FIELD];
  if (value === undefined) return json({});
  return decision({
    ...choiceOf(value),
    decider: { channel, id: idOf(opened, idType) },
    source: {
      tenant: idOf(opened, 'tenant_key'),
      chat: idOf(opened, 'open_chat_id'),
      message: idOf(opened, 'open_message_id'),
    },
    eventId: `sha1:${idOf({ id: headerOf(request, 'x-lark-signature') }, 'id')}`,
  });
}

/** The body, decrypted if it is encrypted. @throws Error for what cannot be read, and for what should be encrypted */
function openFeishu(request: CallbackRequest, { encryptKey }: FeishuKeys): Fields {
  const outer = fieldsOf(textOf(request));
  if (typeof outer.encrypt === 'string') return fieldsOf(decrypted(outer.encrypt, encryptKey));
  const isOld = outer.schema === undefined && outer.type !== 'url_verification';
  if (encryptKey !== '' && !isOld) throw new Error('it is not encrypted');
  return outer;
}

/** AES-256-CBC with PKCS #7; the key is SHA-256 of the Encrypt Key, the first 16 bytes are the vector. */
function decrypted(base64: string, encryptKey: string): string {
  if (encryptKey === '') throw new Error('the encrypt key is not set');
  const bytes = Buffer.from(base64, 'base64');
  const key = createHash('sha256').update(encryptKey).digest();
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  const plain = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]);
  return new TextDecoder('utf-8', { fatal: true }).decode(plain);
}

function tokenOf(opened: Fields): string {
  const { token } = opened.schema === undefined ? opened : inner(opened, 'header');
  return typeof token === 'string' ? token : '';
}

/** What two places of an event say, if they say the same. */
function one(first: unknown, second: unknown): string {
  if (first !== undefined && second !== undefined && first !== second) throw new Error('it names two places');
  return idOf({ id: first ?? second }, 'id');
}

const decision = (fields: Omit<ChannelDecision, 'kind'>): ChannelDecision => ({ kind: 'decision', ...fields });

const json = (body: Fields): ChannelEvent => ({
  kind: 'reply',
  reply: { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
});

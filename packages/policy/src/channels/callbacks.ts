import type { DecisionPort } from '../approvals/approvals-port.js';
import { withinTime } from '../approvals/within-time.js';
import type { BaseChannel, CallbackReply, CallbackRequest, ChannelDecision, DecisionOutcome } from './base-channel.js';

/** Bytes of a body. Slack sends the whole message back. */
export const MOST_CALLBACK_BYTES = 1024 * 1024;

export interface CallbackOptions {
  /** Milliseconds until it answers that the decision is still being made. Slack and Feishu wait for 3 s. @default 2500 */
  readonly answerMs?: number | undefined;
  /** Told of each callback that is not let through, for counting: the channel and why. Never what was in it. */
  readonly onRefused?: ((channel: string, why: string) => void) | undefined;
}

/** What a callback channel has that others lack. */
type Receiver = BaseChannel & Required<Pick<BaseChannel, 'verify' | 'parse' | 'reply'>>;

/**
 * Answers a callback for the channel of that name: raw bytes are verified before anything of them is read, an event is taken once,
 * and a decision is made by `decisions` alone. Never throws; nothing of a body or a token is in what it tells.
 *
 * @param now Unix milliseconds
 * @returns 404 for a channel that is not known or has no callbacks, 413, 401 for what is not verified, 400 for what cannot be read,
 * 500 for a store that failed (nothing was decided), else the channel's reply
 */
export async function handleCallback(
  channels: readonly BaseChannel[],
  decisions: DecisionPort,
  name: string,
  request: CallbackRequest,
  now: number,
  options: CallbackOptions = {},
): Promise<CallbackReply> {
  const refuse = (status: number, word: string, why: string) => {
    attempt(() => options.onRefused?.(name, why));
    return plain(status, word);
  };
  const channel = channels.find((one) => one.name === name);
  if (!isReceiver(channel)) return plain(404, 'not found');
  if (request.body.byteLength > MOST_CALLBACK_BYTES) return refuse(413, 'too large', 'the body is too large');
  const fault = faultOf(channel, request, now);
  if (fault !== undefined) return refuse(401, 'not verified', fault);
  const event = attempt(() => channel.parse(request));
  if (event === undefined) return refuse(400, 'not understood', 'it is verified, and cannot be read');
  if (event.kind === 'reply') return event.reply;
  const work = answered(channel, decisions, event, now).catch(() => undefined);
  const reply = await withinTime(work, options.answerMs ?? 2500, 'deciding').catch(() => 'late' as const);
  if (reply === 'late') return replyOf(channel, STILL);
  if (reply === undefined) return refuse(500, 'not decided', 'the store failed; nothing was decided');
  return reply;
}

const STILL: DecisionOutcome = {
  ok: false,
  text: 'Still being decided. This message changes when it is.',
  approval: undefined,
};

async function answered(
  channel: Receiver,
  decisions: DecisionPort,
  decision: ChannelDecision,
  now: number,
): Promise<CallbackReply> {
  const isNew = await decisions.isNewEvent(channel.name, decision.eventId, now);
  const outcome = isNew
    ? await decisions.decide(channel.name, decision, now)
    : { ok: false, text: 'This answer was taken before.', approval: undefined };
  // Whoever sends an event again is told nothing more.
  if (isNew) attempt(() => channel.tell?.(outcome, decision).catch(() => undefined));
  return replyOf(channel, outcome);
}

/** What was decided stays decided, also if a channel cannot say so. */
function replyOf(channel: Receiver, outcome: DecisionOutcome): CallbackReply {
  return attempt(() => channel.reply(outcome)) ?? plain(200, '');
}

function isReceiver(channel: BaseChannel | undefined): channel is Receiver {
  return channel?.verify !== undefined && channel.parse !== undefined && channel.reply !== undefined;
}

/** Fails closed: a check that throws has not passed. */
function faultOf(channel: Receiver, request: CallbackRequest, now: number): string | undefined {
  const proof = attempt(() => channel.verify(request, now));
  if (proof?.ok === true) return undefined;
  return proof?.why ?? 'it could not be verified';
}

function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function plain(status: number, text: string): CallbackReply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text };
}

import { ObserverError } from '@hermes-observer/core';

const MOST_ANSWER = 1024 * 1024;

export interface ChannelRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds for the whole answer. */
  readonly timeoutMs: number;
}

export interface ChannelAnswer {
  readonly status: number;
  /** Seconds to wait, where the other side says so; else `undefined`. */
  readonly retryAfter: number | undefined;
  readonly text: string;
}

/**
 * One request of a channel. Redirects are not followed, since it carries keys. Texts of errors name the host, never what was sent.
 * @throws ObserverError `HO_POLICY_CHANNEL` without an answer.
 */
export async function channelFetch(url: string, request: ChannelRequest): Promise<ChannelAnswer> {
  const { method, headers, body, timeoutMs } = request;
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method, headers, body: body ?? null, redirect: 'error', signal });
    const retry = Number(response.headers.get('retry-after') ?? Number.NaN);
    return { status: response.status, retryAfter: retry >= 0 ? retry : undefined, text: await bounded(response) };
  } catch (cause) {
    const { host } = new URL(url);
    throw new ObserverError('HO_POLICY_CHANNEL', `${host} gave no answer: ${reasonOf(cause)}.`, { cause });
  }
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_ANSWER) throw new Error('the answer is longer than 1 MiB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address without a slash at its end. Keys go there, so it is https, or this machine.
 * @throws ObserverError `HO_POLICY_CONFIG`
 */
export function checkedAddress(channel: string, address: string): string {
  let url: URL | undefined;
  try {
    url = new URL(address);
  } catch {}
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url === undefined || !isSafe || url.username !== '' || url.hash !== '') {
    throw new ObserverError('HO_POLICY_CONFIG', `${channel}: its address has to be https, or http on this machine.`);
  }
  return url.href.replace(/\/+$/, '');
}

/** @throws ObserverError `HO_POLICY_CONFIG` for one that is no text or empty. */
export function checkedText(channel: string, option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new ObserverError('HO_POLICY_CONFIG', `${channel}: \`${option}\` is missing or empty.`);
}

const NAME = /^[a-z][a-z0-9-]{0,31}$/;

/** Names stand in addresses and, before a colon, in lists of approvers. @throws ObserverError `HO_POLICY_CONFIG` */
export function checkedName(name: string): string {
  if (NAME.test(name)) return name;
  throw new ObserverError(
    'HO_POLICY_CONFIG',
    `A channel cannot be named ${JSON.stringify(name)}: lower-case letters, digits and dashes, at most 32.`,
  );
}

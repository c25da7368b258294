import type { IncomingMessage } from 'node:http';
import type { Encoding } from '../encoding/encoding.js';
import { JSON_ENCODING } from '../encoding/json-encoding.js';
import { fieldsOf } from '../encoding/protobuf-reader.js';
import type { Sent } from './span-target.js';

/** Statuses that ask to send the same again. */
const AGAIN = new Set([408, 429, 502, 503, 504]);
/** Faults of an address or a key: whoever mends it wants what waited. */
const MENDABLE = new Set([401, 402, 403, 404, 405, 407]);
const isMendable = (status: number) => MENDABLE.has(status) || (status >= 300 && status < 400);

/** What an answer says of the request. */
export function sentOf(response: IncomingMessage, body: Buffer, encoding: Encoding): Sent {
  const { statusCode: status = 0, statusMessage = '', headers } = response;
  if (status >= 200 && status < 300) {
    const answer = encodingOf(body, headers['content-type'], encoding)?.partialSuccess(body);
    if (answer !== undefined) return { kind: 'taken', ...answer };
    // A login page, a proxy, a web server: nobody has taken anything.
    const reason = `answers with no OTLP response (HTTP ${status}); check the address`;
    return { kind: 'unreachable', reason, isFault: true };
  }
  const reason = `${reasonIn(body, headers['content-type']) ?? (statusMessage || 'no reason given')} (HTTP ${status})`;
  if (isMendable(status)) {
    return { kind: 'unreachable', reason: `refuses: ${reason}; check its address and key`, isFault: true };
  }
  if (!AGAIN.has(status)) return { kind: 'refused', status, reason };
  const waitMillis = retryAfter(headers['retry-after'], headers.date);
  return {
    kind: 'unreachable',
    reason: `asks to try again: ${reason}`,
    ...(waitMillis === undefined ? {} : { waitMillis }),
  };
}

const OPEN_OBJECT = 0x7b;

/** Some receivers answer in JSON whatever they were sent; no message of ours begins as JSON does, or is a text. */
function encodingOf(body: Buffer, contentType = '', encoding: Encoding): Encoding | undefined {
  if (body[0] === OPEN_OBJECT) return JSON_ENCODING;
  return encoding.name === 'protobuf' && body.length > 0 && /^text\/|html/.test(contentType) ? undefined : encoding;
}

const LONGEST_REASON = 200;

/** What a receiver says in a `google.rpc.Status`, in whichever form. */
function reasonIn(body: Buffer, contentType = ''): string | undefined {
  try {
    const message = /protobuf/.test(contentType) ? messageIn(body) : JSON.parse(body.toString()).message;
    return typeof message === 'string' && message !== '' ? message.slice(0, LONGEST_REASON) : undefined;
  } catch {
    return undefined;
  }
}

const STATUS_MESSAGE = 2;

function messageIn(status: Buffer): string | undefined {
  for (const { number, content } of fieldsOf(status)) {
    if (number === STATUS_MESSAGE) return Buffer.from(content).toString();
  }
  return undefined;
}

/** Seconds, or a date, which is one of the receiver's clock: ours may be set otherwise, or was set back just now. */
function retryAfter(text: string | undefined, sentAt: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const date = Date.parse(text);
  const now = Date.parse(sentAt ?? '');
  return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(now) ? Date.now() : now));
}

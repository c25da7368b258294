import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObserverError } from '@hermes-observer/core';
import { errorBody } from '../protocol.js';
import { statusOf } from './request-error.js';

const RETRY_AFTER_SECONDS = 1;
/** A client that is still sending must be read to its end, or it may never see the answer; up to these bounds. */
const MOST_DRAIN_BYTES = 256 * 1024 * 1024;
const LONGEST_DRAIN_MILLIS = 5_000;

export function respondJson(response: ServerResponse, status: number, value: unknown): void {
  respondText(response, status, JSON.stringify(value));
}

/** @param json what `JSON.stringify` gave */
export function respondText(response: ServerResponse, status: number, json: string): void {
  const body = `${json}\n`;
  if (status === 429 || status === 503) response.setHeader('retry-after', RETRY_AFTER_SECONDS);
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .end(body);
}

/** Answers with an error, after what is left of the body. */
export async function respondError(
  request: IncomingMessage,
  response: ServerResponse,
  error: ObserverError,
  status = statusOf(error),
): Promise<void> {
  if (!request.complete) {
    response.setHeader('connection', 'close');
    await drain(request);
  }
  if (!response.writableEnded && !response.destroyed) respondJson(response, status, errorBody(error));
}

function drain(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const timer = setTimeout(resolve, LONGEST_DRAIN_MILLIS);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_DRAIN_BYTES) done();
    });
    for (const event of ['end', 'close', 'error']) request.once(event, done);
    request.resume();
  });
}

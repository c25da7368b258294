import type { IncomingMessage, ServerResponse } from 'node:http';
import { ObserverError } from '@hermes-observer/core';
import { LineReader } from '../line-reader.js';
import type { ListenerContext } from '../listener-context.js';
import { RequestBody } from './request-body.js';
import { RequestError } from './request-error.js';
import { respondJson } from './respond.js';

const NDJSON = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|jsonlines|json-seq)\s*(;|$)/i;
const MOST_ERRORS = 100;

interface LineError {
  readonly line: number;
  readonly code: string;
  readonly message: string;
}

/** `POST /v1/records`: all good lines of a body, answered when they are on disk. */
export async function takeRecords(
  request: IncomingMessage,
  response: ServerResponse,
  context: ListenerContext,
): Promise<void> {
  const { 'content-type': type } = request.headers;
  if (type !== undefined && !NDJSON.test(type)) {
    throw new RequestError(415, 'HO_REQUEST', 'the body must be NDJSON: Content-Type application/x-ndjson');
  }
  if (context.ports.intake.isPaused) {
    throw new RequestError(503, 'HO_SERVICE_BUSY', 'no records are taken right now: send the same again');
  }
  const errors: LineError[] = [];
  const onProblem = (line: number, { code, message }: ObserverError) => {
    context.ports.refusals.refused(1, code);
    if (errors.length < MOST_ERRORS) errors.push({ line, code, message });
  };
  const noOperation = new ObserverError('HO_REQUEST', 'operations have paths of their own here, such as /v1/ask');
  const onOperation = (_: unknown, line: number) => onProblem(line, noOperation);
  const reader = new LineReader({ onOperation, onProblem }, context.limits.lineBytes);
  const body = new RequestBody(request, context.waiting, context.limits.bodyBytes);
  try {
    await body.read((chunk) => reader.push(chunk));
    reader.end();
    const { records, taking } = handOver(reader, context);
    respondJson(response, 200, { acks: await taking, records, errors });
  } finally {
    body.release();
  }
}

/** On its own, so that the records are not held while the disk works. */
function handOver(reader: LineReader, { ports }: ListenerContext) {
  const batch = reader.take();
  const records = batch.records.length;
  return { records, taking: records === 0 ? [] : ports.intake.take(batch) };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { ObserverError } from '@hermes-observer/core';
import { LineReader } from '../line-reader.js';
import type { ListenerContext } from '../listener-context.js';
import { Pieces } from '../read-turns.js';
import { RequestBody } from './request-body.js';
import { RequestError } from './request-error.js';
import { respondJson } from './respond.js';

const NDJSON = /^application\/(x-ndjson|ndjson|jsonl|x-jsonlines|jsonlines|json-seq)\s*(;|$)/i;
const MOST_ERRORS = 100;
/** Lines of a body are handed over when there are so many bytes of them. */
const PART_BYTES = 1024 * 1024;

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
    const chunks = await body.readChunks();
    const { acks, records } = await handOver(chunks, reader, context);
    respondJson(response, 200, { acks, records, errors });
  } finally {
    body.release();
  }
}

/**
 * Lines of a whole body to the service, part by part: parsed records take several times the room of their lines, so that
 * only some are in memory at once.
 */
async function handOver(chunks: Buffer[], reader: LineReader, { ports, turns, limits }: ListenerContext) {
  const last = new Map<string, number>();
  let records = 0;
  let inFlight = 0;
  let failure: unknown;
  let taken: Promise<void> = Promise.resolve();
  const hand = () => {
    const batch = reader.take();
    if (batch.records.length === 0) return;
    const { bytes } = batch;
    records += batch.records.length;
    inFlight += bytes;
    const taking = ports.intake.take(batch).then(
      (acks) => {
        for (const { producer, seq } of acks) last.set(producer, Math.max(seq, last.get(producer) ?? 0));
      },
      (error: unknown) => {
        failure ??= error;
      },
    );
    taken = Promise.all([taken, taking]).then(() => {
      inFlight -= bytes;
    });
  };
  const pieces = new Pieces();
  const isLight = chunks.length <= 1;
  for (const chunk of chunks) {
    await new Promise<void>((resolve) => {
      let rest = chunk;
      const readPiece = () => {
        rest = pieces.next(rest, (piece) => reader.push(piece));
        if (rest.length === 0) resolve();
        return rest.length === 0;
      };
      turns.take(readPiece, isLight);
    });
    if (reader.readBytes < PART_BYTES) continue;
    hand();
    if (inFlight >= limits.unacknowledgedBytes) {
      ports.intake.hurry();
      await taken;
    }
    if (failure !== undefined) throw failure;
  }
  reader.end();
  hand();
  await taken;
  if (failure !== undefined) throw failure;
  return { records, acks: [...last].map(([producer, seq]) => ({ producer, seq })) };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../line-reader.js';
import type { ListenerContext } from '../listener-context.js';
import { answerTo, questionOf } from '../question.js';
import { RequestBody } from './request-body.js';
import { RequestError } from './request-error.js';
import { respondJson } from './respond.js';

/** `POST /v1/ask`: one question as the body, one answer back. */
export async function ask(request: IncomingMessage, response: ServerResponse, context: ListenerContext): Promise<void> {
  const body = new RequestBody(request, context.waiting, context.limits.lineBytes);
  try {
    const question = questionOf(objectOf(await body.readAll()));
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    respondJson(response, 200, await answerTo(question, context.ports.ask, gone.signal));
  } finally {
    body.release();
  }
}

function objectOf(bytes: Buffer): Operation {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new RequestError(400, 'HO_REQUEST', 'the body is no JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Operation;
  throw new RequestError(400, 'HO_REQUEST', 'the body must be one JSON object');
}

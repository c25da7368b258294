import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { now } from '@hermes-observer/core';
import { RequestError } from '../listeners/http/request-error.js';
import { respondJson } from '../listeners/http/respond.js';
import type { HistoryPort } from '../service/ports.js';
import { columnsOf } from '../traces/columns.js';
import { packTurn } from '../traces/pack-columns.js';
import { nanosFrom } from '../traces/relative-time.js';
import { tracesOf } from '../traces/session-traces.js';
import { detailOf } from '../traces/span-detail.js';
import type { Trace } from '../traces/trace.js';
import type { TraceStore } from '../traces/trace-store.js';
import { queryTurns, type TurnQuery } from '../traces/turn-query.js';
import type { DeletionAnswer, HealthAnswer, SpanAnswer } from '../wire.js';
import { hasLines, linesOf, recordsOf } from './history-reader.js';
import { takesGzip } from './static-files.js';

export interface ApiParts {
  readonly store: TraceStore;
  /** Absent where no journal is behind the traces. */
  readonly history?: HistoryPort | undefined;
  /** What `check` reads of the service, and what else the page shows of it. */
  readonly health: () => HealthAnswer;
  /** Nothing can be deleted. */
  readonly isReadOnly?: boolean;
}

const pack = promisify(gzip);
/** Fast: a page waits for it. */
const PACK_LEVEL = 3;
const LEAST_PACKED = 1_024;
/** Answers of whole turns that are kept, since a page that is loaded anew asks for the same. */
const MOST_KEPT = 4;

interface KeptAnswer {
  readonly version: number;
  readonly generation: number;
  readonly asPacked: boolean;
  readonly packed: Buffer;
}

/** What the page reads, below `/api`. It knows nothing of who may read. */
export class Api {
  readonly #parts: ApiParts;
  readonly #kept = new Map<Trace, KeptAnswer>();

  constructor(parts: ApiParts) {
    this.#parts = parts;
  }

  /** `GET /api/turns` */
  async turns(request: IncomingMessage, response: ServerResponse, query: URLSearchParams): Promise<void> {
    await respond(request, response, await queryTurns(this.#parts.store, queryOf(query)));
  }

  /** `GET /api/turns/:trace`, with `?packed=1` as `PackedTurn` */
  async turn(request: IncomingMessage, response: ServerResponse, id: string, query: URLSearchParams): Promise<void> {
    const trace = this.#find(id);
    const isOver = trace.running === 0;
    const kept = this.#kept.get(trace);
    const asPacked = query.get('packed') === '1';
    const isFresh =
      kept?.version === trace.version && kept.generation === trace.generation && kept.asPacked === asPacked && isOver;
    if (isFresh && takesGzip(request)) {
      respondPacked(response, kept.packed);
      return;
    }
    const columns = columnsOf(
      trace,
      Math.max(0, nanosFrom(trace.base, now()) ?? 0),
      this.#parts.store.linkedTo(trace.id),
    );
    const packed = await respond(request, response, asPacked ? packTurn(columns) : columns);
    if (packed === undefined || !isOver) return;
    this.#kept.delete(trace);
    this.#kept.set(trace, { version: columns.at, generation: trace.generation, asPacked, packed });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** `GET /api/turns/:trace/spans/:span`, with `?whole=1` for texts of any length. */
  async span(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    spanId: string,
    query: URLSearchParams,
  ): Promise<void> {
    const trace = this.#find(id);
    const span = trace.find(spanId);
    if (span === undefined) throw new RequestError(404, 'HO_REQUEST', 'there is no such span');
    const { history } = this.#parts;
    const records = history === undefined ? [] : await recordsOf(span, trace, history).catch(() => []);
    const answer: SpanAnswer = { ...detailOf(trace, span, query.get('whole') === '1'), records };
    await respond(request, response, answer);
  }

  /** `GET /api/turns/:trace/records` */
  async records(response: ServerResponse, id: string): Promise<void> {
    const trace = this.#find(id);
    const { history } = this.#parts;
    if (history === undefined || !hasLines(trace, history)) {
      throw new RequestError(404, 'HO_REQUEST', 'no records of this turn are kept: it came as spans, or is too old');
    }
    response.writeHead(200, {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="turn-${id.replace(/[^0-9a-z]/g, '').slice(0, 32)}.ndjson"`,
    });
    for await (const line of linesOf(trace, history)) {
      if (response.destroyed) return;
      if (!response.write(`${line}\n`)) await drained(response);
    }
    response.end();
  }

  /** `DELETE /api/sessions/:session` */
  async forget(response: ServerResponse, session: string): Promise<void> {
    const { store, history, isReadOnly } = this.#parts;
    if (isReadOnly === true) throw new RequestError(405, 'HO_REQUEST', 'what is shown here are files: delete these');
    const traces = tracesOf(store, session);
    // What runs needs its records, and would go on being shown.
    if (traces.some(({ origin, running }) => origin !== 'received' && running > 0)) {
      throw new RequestError(409, 'HO_REQUEST', 'a turn of this session still runs: delete it when that has ended');
    }
    await history?.deleteSession(
      session,
      traces.flatMap(({ places }) => places),
      traces.map(({ id }) => id),
    );
    // What was made of the history meanwhile is of before it, too.
    const late = tracesOf(store, session).filter(({ origin }) => origin === 'history');
    store.forget([...new Set([...traces, ...late])]);
    const answer: DeletionAnswer = { turns: traces.length };
    respondJson(response, 200, answer);
  }

  /** `GET /api/health` */
  async health(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await respond(request, response, this.#parts.health());
  }

  #find(id: string): Trace {
    const trace = this.#parts.store.find(id);
    if (trace === undefined) throw new RequestError(404, 'HO_REQUEST', 'there is no such turn, or not any more');
    return trace;
  }
}

/** JSON, packed where the client takes it. @returns what was sent packed */
async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  value: unknown,
): Promise<Buffer | undefined> {
  const text = JSON.stringify(value);
  if (text.length < LEAST_PACKED || !takesGzip(request)) {
    const body = Buffer.from(text);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
    return undefined;
  }
  const packed = await pack(text, { level: PACK_LEVEL });
  respondPacked(response, packed);
  return packed;
}

function respondPacked(response: ServerResponse, packed: Buffer): void {
  response
    .writeHead(200, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'content-length': packed.length,
      vary: 'accept-encoding',
    })
    .end(packed);
}

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });

/** @throws RequestError 400 */
function queryOf(query: URLSearchParams): TurnQuery {
  const text = (name: string) => query.get(name) || undefined;
  const number = (name: string) => {
    const given = text(name);
    if (given === undefined) return undefined;
    const value = /^\d{1,16}$/.test(given) ? Number(given) : Date.parse(given);
    if (Number.isNaN(value)) throw new RequestError(400, 'HO_REQUEST', `${name} must be a number or a date`);
    return value;
  };
  const live = text('live');
  const given = {
    limit: number('limit'),
    before: text('before'),
    outcome: text('outcome'),
    agent: text('agent'),
    model: text('model'),
    tool: text('tool'),
    text: text('text')?.slice(0, 1_000),
    from: number('from'),
    to: number('to'),
    live: live === undefined ? undefined : live !== '0' && live !== 'false',
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

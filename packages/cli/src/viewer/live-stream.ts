import type { IncomingMessage, ServerResponse } from 'node:http';
import { now } from '@hermes-observer/core';
import { changeOf } from '../traces/columns.js';
import { nanosFrom } from '../traces/relative-time.js';
import type { StoredSpan } from '../traces/stored-span.js';
import type { Trace } from '../traces/trace.js';
import { isUnderWay, rowOf } from '../traces/trace-row.js';
import type { StoreListener, TraceStore } from '../traces/trace-store.js';
import type { TurnChange, TurnReload } from '../wire.js';

const BATCH_MILLIS = 100;
/** Several changes of one moment go together. */
const GATHER_MILLIS = 15;
const BEAT_MILLIS = 15_000;
const MOST_ROWS = 500;
/** Finding out where the time of a large turn went takes a small part of the time between two tellings of it. */
const PATH_COST_FACTOR = 20;
/** A reader that is so far behind gets no more until it has read. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** One reader of what happens: server-sent events, at most one batch each 100 ms. */
export class LiveStream implements StoreListener {
  readonly #store: TraceStore;
  readonly #response: ServerResponse;
  readonly #epoch: string;
  readonly #followed: string | undefined;
  /** The followed trace, once it is there. */
  #trace: Trace | undefined;
  readonly #rows = new Set<Trace>();
  #spans = new Set<StoredSpan>();
  #gone: string[] = [];
  #told: number;
  #sentAt = 0;
  /** When where the time went may be told again. */
  #pathAt = 0;
  #isPathOld = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #beat: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  #isOver = false;

  /**
   * @param epoch names this run: versions of another one mean nothing
   * @param query `trace` to be told of its spans; `from`, or the header `Last-Event-ID`: what the reader has
   */
  constructor(
    store: TraceStore,
    request: IncomingMessage,
    response: ServerResponse,
    epoch: string,
    query: URLSearchParams,
  ) {
    this.#store = store;
    this.#response = response;
    this.#epoch = epoch;
    this.#followed = query.get('trace') ?? undefined;
    this.#told = store.version;
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' });
    response.write(': here\n\n');
    this.#unsubscribe = store.subscribe(this);
    this.#beat = setInterval(() => response.write(': still here\n\n'), BEAT_MILLIS).unref();
    response.once('close', () => this.end());
    response.on('drain', () => this.#schedule());
    this.#follow();
    this.#goOn(request.headers['last-event-id']?.toString(), query.get('from'));
  }

  changed(trace: Trace, span: StoredSpan): void {
    this.#rows.add(trace);
    if (trace.id === this.#followed) {
      if (this.#trace === undefined) this.#follow();
      this.#spans.add(span);
    }
    this.#schedule();
  }

  gone(trace: Trace): void {
    this.#rows.delete(trace);
    this.#gone.push(trace.id);
    if (trace === this.#trace) {
      this.#trace = undefined;
      this.#spans.clear();
    }
    this.#schedule();
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    clearInterval(this.#beat);
    if (this.#trace !== undefined) this.#trace.followers--;
    this.#response.end();
  }

  #follow(): void {
    if (this.#followed === undefined) return;
    this.#trace = this.#store.find(this.#followed);
    if (this.#trace !== undefined) this.#trace.followers++;
  }

  /** What happened since the reader last heard, or that it has to read all again. */
  #goOn(lastEvent: string | undefined, given: string | null): void {
    const [epoch, version] = lastEvent?.split('-', 2) ?? [this.#epoch, given ?? undefined];
    const from = Number(version);
    const trace = this.#trace;
    if (version === undefined || epoch !== this.#epoch || !Number.isInteger(from)) {
      if (lastEvent !== undefined) this.#send('reload', {});
      // What it has of the trace may be laid out otherwise.
      if (this.#followed !== undefined) this.#send('turn', { reload: true });
      return;
    }
    this.#told = from;
    for (const changed of this.#store.all()) if (changed.version > from) this.#rows.add(changed);
    for (const span of trace?.spans ?? []) if (span.version > from) this.#spans.add(span);
    const gone = this.#store.goneSince(from);
    if (gone === undefined) this.#send('reload', {});
    else this.#gone = [...gone];
    if (trace !== undefined && trace.laid === undefined) this.#send('turn', { reload: true });
    if (this.#rows.size > 0 || this.#gone.length > 0) this.#schedule();
  }

  #schedule(least = 0): void {
    if (this.#timer !== undefined || this.#isOver) return;
    const wait = Math.max(least, GATHER_MILLIS, this.#sentAt + BATCH_MILLIS - performance.now());
    this.#timer = setTimeout(() => this.#flush(), wait).unref();
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#response.writableLength > MOST_WAITING_BYTES) return;
    this.#sentAt = performance.now();
    if (this.#gone.length > 0) this.#send('gone', this.#gone);
    this.#gone = [];
    const rows: unknown[] = [];
    for (const trace of this.#rows) {
      if (rows.length === MOST_ROWS) break;
      this.#rows.delete(trace);
      rows.push(rowOf(trace));
    }
    if (this.#trace !== undefined) this.#tellTurn(this.#trace);
    if (rows.length > 0) this.#send('rows', rows);
    if (this.#rows.size > 0) this.#schedule();
  }

  #tellTurn(trace: Trace): void {
    const isPathDue = performance.now() >= this.#pathAt || !isUnderWay(trace);
    if (this.#spans.size > 0 || (this.#isPathOld && isPathDue)) {
      const began = performance.now();
      const until = isPathDue ? Math.max(0, nanosFrom(trace.base, now()) ?? 0) : undefined;
      const linked = this.#store.linkedTo(trace.id);
      const change: TurnChange | TurnReload = changeOf(trace, this.#spans, this.#told, until, linked) ?? {
        reload: true,
      };
      if (isPathDue) this.#pathAt = performance.now() + (performance.now() - began) * PATH_COST_FACTOR;
      this.#isPathOld = !isPathDue;
      this.#send('turn', change);
      this.#spans = new Set();
      this.#told = trace.version;
    }
    if (this.#isPathOld) this.#schedule(this.#pathAt - performance.now());
  }

  #send(event: string, data: unknown): void {
    // What is still to be told is not behind the reader yet.
    const id = this.#rows.size > 0 ? '' : `id: ${this.#epoch}-${this.#store.version}\n`;
    this.#response.write(`${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }
}

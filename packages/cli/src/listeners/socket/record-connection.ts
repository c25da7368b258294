import type { Socket } from 'node:net';
import { ObserverError } from '@hermes-observer/core';
import type { ConnectionSlots } from '../connection-slots.js';
import { LineReader, type Operation, type ReadBatch } from '../line-reader.js';
import type { ListenerContext } from '../listener-context.js';
import { asObserverError, errorBody } from '../protocol.js';
import { answerTo, isId, questionOf } from '../question.js';
import { Pieces, RecentBytes } from '../read-turns.js';

/** A client that does not read what it asked for is closed when this much waits for it. */
const MOST_UNREAD_BYTES = 1024 * 1024;
/** Of a connection that keeps to this, half lines are not bounded together. */
const FAIR_HALF_LINE_BYTES = 64 * 1024;
const MOST_OPEN_QUESTIONS = 64;
/** How often a client that has said all, and waits for answers, is tried. */
const FIND_OUT_MILLIS = 1_000;
/** Of a connection that relays for others, so many are known to be there. */
const MOST_PRODUCERS = 256;
/** Of a connection that sends nothing but nonsense, so many lines are answered one by one. */
const MOST_TOLD_PROBLEMS = 100;

/** One client of the socket: lines in, acknowledgements and answers out. */
export class RecordConnection {
  readonly #socket: Socket;
  readonly #context: ListenerContext;
  readonly #slots: ConnectionSlots;
  readonly #reader: LineReader;
  readonly #regulate = () => this.#read();
  /** Batches are acknowledged in the order they came. */
  #settled: Promise<void> = Promise.resolve();
  readonly #recent = new RecentBytes();
  readonly #pieces = new Pieces();
  /** What came last and is not read yet: nothing more is asked for meanwhile. */
  #unread: Buffer | undefined;
  #unacknowledged = 0;
  #half = 0;
  readonly #present = new Map<string, () => void>();
  #lastProducer: string | undefined;
  #questions = 0;
  #problems = 0;
  #isFailed = false;
  /** Aborts when the client is gone: nobody reads answers then. */
  readonly #gone = new AbortController();

  constructor(socket: Socket, context: ListenerContext, slots: ConnectionSlots) {
    this.#socket = socket;
    this.#context = context;
    this.#slots = slots;
    this.#reader = new LineReader(
      {
        onOperation: (operation, line) => this.#operate(operation, line),
        onProblem: (line, error) => this.#problem(error, line),
      },
      context.limits.lineBytes,
    );
    const stopPauses = context.ports.intake.onPause((isPaused) => this.#write({ pause: isPaused }));
    socket.on('data', (chunk) => this.#push(chunk));
    socket.once('end', () => this.#end());
    socket.on('error', () => {});
    socket.once('close', () => {
      this.#gone.abort();
      stopPauses();
      for (const leave of this.#present.values()) leave();
      context.waiting.forget(this.#regulate);
      context.halfLines.give(this.#half);
      this.#half = 0;
    });
    if (context.ports.intake.isPaused) this.#write({ pause: true });
  }

  #push(chunk: Buffer): void {
    if (this.#isFailed) return;
    this.#slots.touch(this.#socket);
    this.#unread = chunk;
    this.#context.turns.take(() => this.#readPiece(), this.#recent.isLightWith(chunk.length));
    if (this.#unread !== undefined) this.#socket.pause();
  }

  /** Also of a client that is gone meanwhile: it had sent that. */
  #readPiece(): boolean {
    const unread = this.#unread;
    if (unread === undefined || this.#isFailed) return true;
    const rest = this.#pieces.next(unread, (piece) => {
      this.#reader.push(piece);
      this.#hold(this.#reader.heldBytes);
      this.#take(this.#reader.take());
    });
    this.#unread = rest.length === 0 ? undefined : rest;
    if (this.#unread !== undefined) return false;
    this.#read();
    return true;
  }

  /** The client has said all; the rest is answered, then this side ends as well. */
  #end(): void {
    this.#reader.end();
    this.#hold(0);
    this.#take(this.#reader.take());
    void this.#settled.then(() => {
      if (this.#questions === 0) this.#socket.end();
      else this.#findOut();
    });
  }

  /** A client that is gone looks like one that still reads, until something is written to it. */
  #findOut(): void {
    const socket = this.#socket;
    const tryIt = () => this.#write({ pause: this.#context.ports.intake.isPaused });
    tryIt();
    const timer = setInterval(tryIt, FIND_OUT_MILLIS);
    for (const event of ['close', 'finish']) socket.once(event, () => clearInterval(timer));
  }

  #hold(bytes: number): void {
    if (this.#socket.destroyed) return;
    const { halfLines } = this.#context;
    halfLines.add(bytes - this.#half);
    this.#half = bytes;
    if (!halfLines.isSpent || bytes <= FAIR_HALF_LINE_BYTES) return;
    this.#fail(new ObserverError('HO_SERVICE_BUSY', 'too many long lines are under way: try again later'));
  }

  #take(batch: ReadBatch): void {
    if (batch.records.length === 0) return;
    const { ports, waiting } = this.#context;
    // Nothing below may hold the batch: its records are not needed while the disk works.
    const { bytes } = batch;
    this.#unacknowledged += bytes;
    waiting.add(bytes);
    this.#slots.setBusy(this.#socket, true);
    this.#greet(batch);
    const taking = ports.intake.take(batch);
    // Before it has to stop: a sync every 100 ms lets a client send no more than ten times that a second.
    if (this.#unacknowledged >= this.#context.limits.unacknowledgedBytes / 2 || waiting.isSpent) ports.intake.hurry();
    // Its failure is told below, in its turn.
    taking.catch(() => {});
    this.#settled = this.#settled.then(async () => {
      try {
        const acknowledged = await taking;
        if (!this.#isFailed) for (const ack of acknowledged) this.#write({ ack });
      } catch (error) {
        // What comes after it must not be acknowledged: that would cover this batch as well.
        this.#fail(asObserverError(error));
      }
      this.#unacknowledged -= bytes;
      waiting.give(bytes);
      if (this.#unacknowledged === 0) this.#slots.setBusy(this.#socket, false);
      this.#read();
    });
  }

  /** Producers whose connection this is, of which there is mostly one. */
  #greet({ records }: ReadBatch): void {
    if (this.#socket.destroyed) return;
    for (const { producer } of records) {
      if (producer === undefined || producer === this.#lastProducer) continue;
      this.#lastProducer = producer;
      if (this.#present.has(producer) || this.#present.size >= MOST_PRODUCERS) continue;
      this.#present.set(producer, this.#context.ports.presence.present(producer));
    }
  }

  /** Reads on, or waits for the disk, or for room. */
  #read(): void {
    const { limits, waiting } = this.#context;
    if (this.#socket.destroyed || this.#isFailed || this.#unread !== undefined) return;
    if (this.#unacknowledged >= limits.unacknowledgedBytes) this.#socket.pause();
    else if (waiting.isSpent) {
      this.#socket.pause();
      waiting.whenRoom(this.#regulate);
    } else if (this.#socket.isPaused()) this.#socket.resume();
  }

  #operate(operation: Operation, line: number): void {
    // What a client asked that is gone meanwhile.
    if (!this.#socket.writable) return;
    const { id } = operation;
    switch (operation.op) {
      case 'ask':
        this.#ask(operation, line);
        return;
      case 'sync':
        // The lines before it in this chunk must be on their way first.
        this.#take(this.#reader.take());
        void this.#settled.then(() => {
          if (!this.#isFailed) this.#write({ synced: isId(id) ? id : null });
        });
        return;
      case 'status':
        this.#writeText(`{"status":${this.#context.status()},"id":${JSON.stringify(isId(id) ? id : null)}}`);
        return;
      case 'policy':
        this.#operatePolicy(operation, line);
        return;
      default:
        this.#problem(new ObserverError('HO_REQUEST', 'unknown op: ask, sync, status or policy'), line);
    }
  }

  #ask(operation: Operation, line: number): void {
    try {
      const question = questionOf(operation);
      if (this.#questions >= MOST_OPEN_QUESTIONS) {
        throw new ObserverError('HO_SERVICE_BUSY', `${MOST_OPEN_QUESTIONS} questions of this connection are open`);
      }
      this.#questions++;
      void answerTo(question, this.#context.ports.ask, this.#gone.signal)
        .then(
          (answer) => this.#write(answer),
          (error: unknown) => this.#problem(asObserverError(error), line),
        )
        .finally(() => {
          this.#questions--;
          if (this.#questions === 0 && this.#socket.readableEnded) void this.#settled.then(() => this.#socket.end());
        });
    } catch (error) {
      this.#problem(asObserverError(error), line);
    }
  }

  /** Commands of the user whose service this is: nobody else may open the socket. */
  #operatePolicy(operation: Operation, line: number): void {
    const { policy } = this.#context.ports;
    if (policy === undefined) {
      this.#problem(new ObserverError('HO_REQUEST', 'the service has no policy'), line);
      return;
    }
    const { id } = operation;
    policy.operate(operation).then(
      (result) => this.#write({ policy: result, id: isId(id) ? id : null }),
      (error: unknown) => this.#problem(asObserverError(error), line),
    );
  }

  #problem(error: ObserverError, line: number): void {
    this.#context.ports.refusals.refused(1, error.code);
    this.#problems++;
    if (this.#problems <= MOST_TOLD_PROBLEMS) this.#write(errorBody(error, line));
  }

  /** Says why, and closes. The client sends again what was not acknowledged. */
  #fail(error: ObserverError): void {
    if (this.#isFailed) return;
    this.#context.counts.refuse(error.code);
    this.#write(errorBody(error));
    this.#isFailed = true;
    this.#socket.resume();
    this.#socket.destroySoon();
  }

  #write(value: unknown): void {
    if (this.#socket.writable) this.#writeText(JSON.stringify(value));
  }

  #writeText(json: string): void {
    const socket = this.#socket;
    if (this.#isFailed || !socket.writable) return;
    socket.write(`${json}\n`);
    if (socket.writableLength <= MOST_UNREAD_BYTES) return;
    this.#context.counts.refuse('slow_reader');
    socket.destroy();
  }
}

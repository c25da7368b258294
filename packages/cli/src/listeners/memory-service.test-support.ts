import { mkdtempSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import type { Acknowledgement, RecordBatch } from '../service/ports.js';
import { ListenerContext, type ListenerLimits } from './listener-context.js';

const MIB = 1024 * 1024;

/** The other half of a service, in memory. */
export class MemoryService {
  readonly lines: string[] = [];
  readonly refusedLines: string[] = [];
  readonly faults: ObserverError[] = [];
  readonly present = new Set<string>();
  /** Held back until it resolves. */
  hold: Promise<void> = Promise.resolve();
  failure: ObserverError | undefined;
  isPaused = false;
  /** Times that a sync was asked for. */
  hurries = 0;
  /** Bytes that were held when it was first told to hurry. */
  heldAtHurry: number | undefined = undefined;
  isReady = true;
  /** Most bytes that were held back at once. */
  readonly context: ListenerContext;
  heldBytes = 0;
  mostHeldBytes = 0;
  readonly #pauseListeners = new Set<(isPaused: boolean) => void>();

  constructor(limits: Partial<ListenerLimits> = {}) {
    const ports = {
      intake: this,
      ask: { ask: async (hook: string, payload: unknown) => ({ decision: 'allow', hook, payload, by: 'test' }) },
      status: {
        isReady: true,
        counts: () => [{ name: 'records', help: 'Records.', value: this.lines.length }],
        producers: () => [],
        exporters: () => [],
      },
      presence: {
        present: (producer: string) => {
          this.present.add(producer);
          return () => this.present.delete(producer);
        },
      },
      refusals: { refused: (_: number, reason: string) => void this.refusedLines.push(reason) },
    };
    this.context = new ListenerContext(
      ports,
      {
        lineBytes: 16 * MIB,
        bodyBytes: 64 * MIB,
        unacknowledgedBytes: 4 * MIB,
        waitingBytes: 256 * MIB,
        connections: 1024,
        ...limits,
      },
      '0.0.0',
      (error) => this.faults.push(error),
    );
  }

  async take({ lines, records }: RecordBatch): Promise<Acknowledgement[]> {
    if (this.failure !== undefined) throw this.failure;
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    this.heldBytes += bytes;
    this.mostHeldBytes = Math.max(this.mostHeldBytes, this.heldBytes);
    await this.hold;
    this.heldBytes -= bytes;
    for (const line of lines) this.lines.push(Buffer.from(line).toString());
    const last = new Map<string, number>();
    for (const { producer, seq } of records) if (producer !== undefined && seq !== undefined) last.set(producer, seq);
    return [...last].map(([producer, seq]) => ({ producer, seq }));
  }

  hurry(): void {
    this.hurries++;
    this.heldAtHurry ??= this.heldBytes;
  }

  onPause(listener: (isPaused: boolean) => void): () => void {
    this.#pauseListeners.add(listener);
    return () => this.#pauseListeners.delete(listener);
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    for (const listener of this.#pauseListeners) listener(isPaused);
  }
}

export function privateFolder(): string {
  return mkdtempSync(join(tmpdir(), 'listeners-'));
}

export function line(seq: number, payload: object = {}, producer = 'p'): string {
  const record = { hook: 'pre_llm_call', time_unix_nano: `${1000 + seq}`, seq, producer, payload };
  return `${JSON.stringify(record)}\n`;
}

/** A client of the socket that keeps what it is told. */
export class LineClient {
  readonly socket: Socket;
  readonly told: Record<string, unknown>[] = [];
  readonly closed: Promise<void>;
  #rest = '';

  constructor(path: string) {
    this.socket = connect(path);
    this.socket.setEncoding('utf8');
    this.socket.on('error', () => {});
    this.socket.on('data', (text: string) => {
      const parts = (this.#rest + text).split('\n');
      this.#rest = parts.pop() ?? '';
      for (const part of parts) this.told.push(JSON.parse(part) as Record<string, unknown>);
    });
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => resolve());
    });
  }

  send(text: string | Buffer): void {
    this.socket.write(text);
  }

  /** Waits for a line that passes. */
  async until(passes: (told: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    const found = await eventually(() => this.told.find(passes));
    return found;
  }

  acked(seq: number): Promise<Record<string, unknown>> {
    return this.until(({ ack }) => (ack as { seq?: number } | undefined)?.seq === seq);
  }
}

/** Looks until there is something, 10 s at most. */
export async function eventually<T>(look: () => T | undefined | false): Promise<T> {
  const until = Date.now() + 10_000;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error('waited for 10 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export const storeFull = () => new ObserverError('HO_STORE_FULL', 'the disk is full');

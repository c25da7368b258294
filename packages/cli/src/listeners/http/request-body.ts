import type { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { MemoryBudget } from '../memory-budget.js';
import { RequestError } from './request-error.js';

/** Room for most bodies: memory that is new for each of them takes longer than to fill it. */
const SHARED_BYTES = 1024 * 1024;
let spare: Buffer | undefined;

/** A body, unpacked. Its bytes count in `budget` until `release`. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #budget: MemoryBudget;
  readonly #mostBytes: number;
  #held = 0;
  #shared: Buffer | undefined;

  constructor(request: IncomingMessage, budget: MemoryBudget, mostBytes: number) {
    this.#request = request;
    this.#budget = budget;
    this.#mostBytes = mostBytes;
  }

  /** All of it. @throws RequestError 413, 415, 429, 400 for what is no gzip. */
  async readChunks(): Promise<Buffer[]> {
    const request = this.#request;
    if (Number(request.headers['content-length'] ?? 0) > this.#mostBytes) throw this.#tooLarge();
    const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    if (encoding !== 'gzip' && encoding !== 'identity') {
      throw new RequestError(415, 'HO_REQUEST', 'Content-Encoding may be gzip or nothing');
    }
    const source = encoding === 'gzip' ? request.pipe(createGunzip()) : request;
    const fail = (error: Error) => source.destroy(error);
    request.once('error', fail);
    try {
      return await this.#gather(source);
    } catch (error) {
      if (error instanceof RequestError || request.errored !== null) throw error;
      throw new RequestError(400, 'HO_REQUEST', 'the body is no gzip');
    } finally {
      request.off('error', fail);
      if (source !== request) {
        request.unpipe();
        source.destroy();
      }
    }
  }

  /** By events: an iterator of the stream takes as long as all else of a large body. It is not destroyed on a way out. */
  #gather(source: Readable): Promise<Buffer[]> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const take = (chunk: Buffer) => {
        try {
          this.#hold(chunk.length);
          chunks.push(chunk);
        } catch (error) {
          settle(error);
        }
      };
      const settle = (error?: unknown) => {
        source.off('data', take).pause();
        forget();
        if (error === undefined || error === null) resolve(chunks);
        else reject(error);
      };
      const forget = finished(source, { writable: false }, settle);
      source.on('data', take);
    });
  }

  /** All of it at once, for what must be read as it was sent. */
  async readAll(): Promise<Buffer> {
    return Buffer.concat(await this.readChunks());
  }

  /** As `readAll`, in memory that another body gets after `release`: nothing may keep these bytes. */
  async readShared(): Promise<Buffer> {
    const chunks = await this.readChunks();
    if (this.#held > SHARED_BYTES) return Buffer.concat(chunks);
    this.#shared = spare ?? Buffer.allocUnsafeSlow(SHARED_BYTES);
    spare = undefined;
    let at = 0;
    for (const chunk of chunks) at += chunk.copy(this.#shared, at);
    return this.#shared.subarray(0, at);
  }

  release(): void {
    spare ??= this.#shared;
    this.#shared = undefined;
    this.#budget.give(this.#held);
    this.#held = 0;
  }

  #hold(bytes: number): void {
    if (this.#budget.isSpent) {
      throw new RequestError(429, 'HO_SERVICE_BUSY', 'too much is under way: send the same again');
    }
    this.#held += bytes;
    this.#budget.add(bytes);
    if (this.#held > this.#mostBytes) throw this.#tooLarge();
  }

  #tooLarge(): RequestError {
    return new RequestError(
      413,
      'HO_REQUEST_TOO_LARGE',
      `the body is over ${this.#mostBytes} bytes; nothing was taken`,
    );
  }
}

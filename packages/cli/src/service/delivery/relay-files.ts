import { join } from 'node:path';
import { ObserverError } from '@hermes-observer/core';
import type { Sent, SpanTarget } from '@hermes-observer/otel';
import { AtifExporter, AtofExporter, spansOfRequest } from '@hermes-observer/relay';
import type { RelayTarget } from '../options.js';

/**
 * Spans of requests to files of ATOF or ATIF. What these wait for is kept on disk: a request counts as taken when neither a crash
 * nor a power failure can lose it.
 */
export class RelayFiles implements SpanTarget {
  readonly place: string;
  readonly #make: () => AtofExporter | AtifExporter;
  #exporter: AtofExporter | AtifExporter | undefined;

  constructor({ kind, path, trajectory, subagents }: RelayTarget, stateFolder: string) {
    this.place = path;
    this.#make = () =>
      kind === 'atof'
        ? new AtofExporter({ path, stateFile: join(stateFolder, 'requests.json') })
        : new AtifExporter({
            folder: path,
            stateFolder,
            ...(trajectory !== undefined && { trajectory }),
            ...(subagents !== undefined && { subagents }),
          });
  }

  async send(body: Uint8Array): Promise<Sent> {
    this.#exporter ??= this.#make();
    const exporter = this.#exporter;
    const lostBefore = exporter.lostSpans;
    try {
      exporter.take(spansOfRequest(body));
      await exporter.forceFlush();
      return { kind: 'taken', rejected: 0, message: '' };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const isForGood = ObserverError.isInstance(error) && error.code === 'HO_EXPORT_FAILED';
      if (isForGood) return { kind: 'taken', rejected: exporter.lostSpans - lostBefore, message };
      // Not of the disk: it would be the same each time, and keep all others waiting.
      const isOfDisk = ObserverError.isInstance(error) || (error as NodeJS.ErrnoException).syscall !== undefined;
      if (!isOfDisk) return { kind: 'refused', status: 400, reason: message };
      // The file or the folder may be gone: it is opened anew.
      await this.close();
      return { kind: 'unreachable', reason: message };
    }
  }

  async close(): Promise<void> {
    const exporter = this.#exporter;
    this.#exporter = undefined;
    await exporter?.shutdown().catch(() => undefined);
  }
}

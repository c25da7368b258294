import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unwritable } from '../files/whole-file.js';
import type { SpanFacts } from '../spans/span-facts.js';

const NAME = /^[0-9a-f]{32}\.ndjson$/;

/** Spans of traces that are not complete, one file a trace, so that they outlive a crash. */
export class TraceFiles {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** All spans that are kept. A line that a crash cut short is left out: its span comes again. */
  load(): SpanFacts[] {
    let names: string[];
    try {
      names = readdirSync(this.#folder).filter((name) => NAME.test(name));
    } catch {
      return [];
    }
    return names.sort().flatMap((name) => readFileSync(join(this.#folder, name), 'utf8').split('\n').flatMap(spanOf));
  }

  /** Adds spans of one trace, and gives the path of its file. @throws ObserverError `HO_OUTPUT_UNWRITABLE`. */
  add(traceId: string, spans: readonly SpanFacts[]): string {
    const path = join(this.#folder, `${traceId}.ndjson`);
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      // It begins with a newline: what is torn stands alone then.
      const text = spans.map((span) => `\n${JSON.stringify(span)}`).join('');
      appendFileSync(path, `${text}\n`, { mode: 0o600 });
      return path;
    } catch (cause) {
      throw unwritable(path, cause);
    }
  }

  forget(traceId: string): void {
    rmSync(join(this.#folder, `${traceId}.ndjson`), { force: true });
  }
}

function spanOf(line: string): SpanFacts[] {
  if (line === '') return [];
  try {
    const span = JSON.parse(line) as SpanFacts | null;
    return typeof span?.traceId === 'string' && Array.isArray(span.events) ? [span] : [];
  } catch {
    return [];
  }
}

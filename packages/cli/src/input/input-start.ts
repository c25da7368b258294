import { type ErrorCode, ObserverError } from '@hermes-observer/core';

/** What an input looks like that holds none of the lines asked for. */
export interface Suspicion {
  readonly message: string;
  readonly code: ErrorCode;
}

/** What the lines of an input may be. */
export type Expected = 'recordings' | 'recordings or OTLP';

/** Enough of an input to tell what it is. */
export const START_BYTES = 4096;

const COMPRESSED: readonly (readonly [name: string, magic: readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
];

const SIGNALS: Readonly<Record<string, string>> = { Logs: 'logs', Metrics: 'metrics' };

/** @throws ObserverError `HO_INPUT_UNREADABLE` if no line of an input that starts like this can be text in UTF-8. */
export function checkEncoding(start: Uint8Array): void {
  const packed = COMPRESSED.find(([, magic]) => magic.every((byte, i) => start[i] === byte));
  if (packed !== undefined) {
    throw new ObserverError('HO_INPUT_UNREADABLE', `this is compressed with ${packed[0]}; unpack it first`);
  }
  if ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)) {
    throw new ObserverError('HO_INPUT_UNREADABLE', 'this is text in UTF-16; write it as UTF-8');
  }
}

/** What an input is that starts like this, if it looks like a mistake. A guess: its lines are read all the same. */
export function suspicionOf(start: Uint8Array, expected: Expected): Suspicion | undefined {
  if (start.subarray(0, START_BYTES).includes(0)) {
    return {
      code: 'HO_RECORD_NOT_JSON',
      message: 'this looks like a binary file; give NDJSON, one JSON object a line',
    };
  }
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(start.byteLength, START_BYTES)).toString();
  const signal = /^\s*(?:\{|\[)?\s*\{?\s*"resource(Spans|Logs|Metrics)"\s*:/.exec(text.replace(/^\ufeff/, ''))?.[1];
  const [first = '', next] = text.trimStart().split('\n', 2);
  if (next !== undefined && /^[{[]$|^[{[].*[{[,]$/.test(first.trim())) {
    return {
      code: 'HO_RECORD_NOT_JSON',
      message: `this looks like one JSON value over several lines; write ${signal === undefined ? 'a record' : 'a request'} a line, for instance with: jq -c .`,
    };
  }
  if (signal === undefined) return undefined;
  if (signal !== 'Spans') {
    return { code: 'HO_RECORD_SHAPE', message: `this is OTLP/JSON with ${SIGNALS[signal]}; only traces can be shown` };
  }
  if (expected === 'recordings or OTLP') return undefined;
  return {
    code: 'HO_RECORD_SHAPE',
    message: 'this is OTLP/JSON: it holds spans already, no hook records; the command view shows it',
  };
}

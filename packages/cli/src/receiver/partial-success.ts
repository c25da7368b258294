import type { ServerResponse } from 'node:http';

export type Form = 'json' | 'protobuf';

const TYPES: Readonly<Record<Form, string>> = { json: 'application/json', protobuf: 'application/x-protobuf' };
/** `partial_success` of the answer; in it `rejected_spans` and `error_message`. */
const PARTIAL_SUCCESS = 0x0a;
const REJECTED = 0x08;
const MESSAGE = 0x12;

/** Answers 200 in the form of the request. Without a message all was taken. */
export function respondPartial(response: ServerResponse, form: Form, rejected: number, message: string): void {
  // A text, and nothing at all, go out with the headers in one piece.
  const body = form === 'json' ? jsonOf(rejected, message) : protobufOf(rejected, message);
  response
    .writeHead(200, {
      'content-type': TYPES[form],
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    .end(body);
}

function jsonOf(rejected: number, message: string): string {
  if (message === '') return '{}';
  return JSON.stringify({ partialSuccess: { rejectedSpans: String(rejected), errorMessage: message } });
}

function protobufOf(rejected: number, message: string): Buffer | '' {
  if (message === '') return '';
  const text = Buffer.from(message);
  const inner = Buffer.concat([
    ...(rejected > 0 ? [Buffer.of(REJECTED), varint(rejected)] : []),
    Buffer.of(MESSAGE),
    varint(text.length),
    text,
  ]);
  return Buffer.concat([Buffer.of(PARTIAL_SUCCESS), varint(inner.length), inner]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

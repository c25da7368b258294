import { createHash } from 'node:crypto';
import { wellFormed } from '@hermes-observer/core';
import type { SpanContext } from '@opentelemetry/api';

/** Names a span by the ids that its records carried. */
export interface JudgedIds {
  readonly turnId: string;
  readonly toolCallId?: string | undefined;
  readonly requestId?: string | undefined;
}

/**
 * Where the span with these ids is, by the rules of `docs/span-ids.md`, if its turn is the root of its trace and the ids were
 * used once: for spans that are known no more, or were made by another process. Not where a lone surrogate is in an id.
 */
export function derivedContext({ turnId, toolCallId, requestId }: JudgedIds): SpanContext | undefined {
  const parts =
    toolCallId !== undefined
      ? ['tool', turnId, toolCallId]
      : requestId !== undefined
        ? ['request', turnId, requestId]
        : ['turn', turnId];
  if (!parts.every((part) => wellFormed(part) === part)) return undefined;
  const traceId = createHash('sha256').update(`turn\0${turnId}`).digest('hex').slice(0, 32);
  return { traceId, spanId: fnv1a64([traceId, ...parts, '0']), traceFlags: 1, isRemote: true };
}

function fnv1a64(parts: readonly string[]): string {
  let value = 0xcbf29ce484222325n;
  const add = (byte: number) => {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  };
  parts.forEach((part, i) => {
    if (i > 0) add(0);
    for (const byte of Buffer.from(part, 'utf8')) {
      // A NUL inside a part is told from one between parts.
      if (byte === 0) for (const each of [0xc0, 0x80]) add(each);
      else add(byte);
    }
  });
  return (value || 1n).toString(16).padStart(16, '0');
}

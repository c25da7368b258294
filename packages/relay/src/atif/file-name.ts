import { createHash } from 'node:crypto';
import { semconv } from '@hermes-observer/otel';
import { textAttribute } from '../spans/content.js';
import type { SpanFacts } from '../spans/span-facts.js';
import { spanUuid } from '../spans/span-uuid.js';

const MOST_CHARACTERS = 80;

/** A session as a part of a file name. What cannot stand in one is replaced, and a digest keeps it apart from others. */
export function sessionPart(session: string): string {
  const safe = session.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MOST_CHARACTERS);
  if (safe === session) return safe;
  return `${safe}-${createHash('sha256').update(session).digest('hex').slice(0, 12)}`;
}

/** File of one trajectory. */
export function trajectoryFile({ traceId, spanId, attributes }: SpanFacts): string {
  const session = textAttribute(attributes, semconv.ATTR_GEN_AI_CONVERSATION_ID) ?? 'none';
  return `atif-${sessionPart(session)}-${spanUuid(traceId, spanId)}.json`;
}

/** File of a session; a long one has several, the first of which has no number. */
export const sessionFile = (session: string, part: number): string =>
  `atif-${sessionPart(session)}${part === 1 ? '' : `.${part}`}.json`;

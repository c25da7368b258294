import { createHash } from 'node:crypto';

/** Namespace of the ids below; it never changes, or files that were appended to would name their parents no more. */
const NAMESPACE = Buffer.from('6b1f7c0e5d0a4f5c9a3e2d8b4c7e1f60', 'hex');

/**
 * A UUID (version 5) of a span, or of a part of it. The same span has the same one in each file and each replay, and a child
 * can name its parent by the parent's span id alone, before the parent has ended.
 */
export function spanUuid(traceId: string, spanId: string, part = ''): string {
  const hash = createHash('sha1').update(NAMESPACE).update(`${traceId}/${spanId}${part}`).digest();
  hash[6] = ((hash[6] as number) & 0x0f) | 0x50;
  hash[8] = ((hash[8] as number) & 0x3f) | 0x80;
  const hex = hash.toString('hex', 0, 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

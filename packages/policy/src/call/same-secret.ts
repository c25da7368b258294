import { timingSafeEqual } from 'node:crypto';
import { sha256 } from './sha256.js';

/** Whether two texts are equal, in a time that tells nothing of them. What is no text equals nothing. */
export function isSameSecret(a: unknown, b: unknown): boolean {
  const digest = (value: unknown) => Buffer.from(sha256(JSON.stringify(String(value))));
  const isEqual = timingSafeEqual(digest(a), digest(b));
  return isEqual && typeof a === 'string' && typeof b === 'string';
}

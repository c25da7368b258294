import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 128 random bits, as text that a form, a button, an address and a command can carry: it begins like no option. */
export function randomToken(): string {
  for (;;) {
    const token = randomBytes(16).toString('base64url');
    if (!token.startsWith('-')) return token;
  }
}

/** SHA-256 in hex. A token is kept as this alone. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Whether two texts are equal, in a time that tells nothing of them. What is no text equals nothing. */
export function isSameSecret(a: unknown, b: unknown): boolean {
  const digest = (value: unknown) =>
    createHash('sha256')
      .update(JSON.stringify(String(value)))
      .digest();
  const isEqual = timingSafeEqual(digest(a), digest(b));
  return isEqual && typeof a === 'string' && typeof b === 'string';
}

import { randomBytes } from 'node:crypto';

/** 128 random bits, as text that a form, a button, an address and a command can carry: it begins like no option. */
export function randomToken(): string {
  for (;;) {
    const token = randomBytes(16).toString('base64url');
    if (!token.startsWith('-')) return token;
  }
}

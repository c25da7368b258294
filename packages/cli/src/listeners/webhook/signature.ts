import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether `header` (`sha256=<hex>`) is the HMAC of exactly these bytes. Takes the same time for any wrong one. */
export function isSigned(body: Buffer, header: string | undefined, secret: string): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(header ?? '') ?? [];
  if (hex === undefined) return false;
  return timingSafeEqual(Buffer.from(hex, 'hex'), createHmac('sha256', secret).update(body).digest());
}

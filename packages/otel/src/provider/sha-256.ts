let crypto: typeof import('node:crypto') | undefined;

/** SHA-256 in 64 hex digits, of a text's UTF-8 bytes or of bytes. */
export function sha256(data: string | Uint8Array): string {
  // Loaded when first needed: it takes 2 ms of the start of a program.
  crypto ??= process.getBuiltinModule('node:crypto');
  return crypto.hash('sha256', data, 'hex');
}

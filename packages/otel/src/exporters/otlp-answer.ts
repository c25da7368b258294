/** What became of one request. */
export type Answer =
  /** `rejected`: spans of it that the receiver did not take, with its reason. */
  | { readonly kind: 'taken'; readonly rejected: number; readonly message: string }
  /** A success without an OTLP response. */
  | { readonly kind: 'unconfirmed' }
  /** A status that is about this request. */
  | { readonly kind: 'refused'; readonly status: number; readonly error: Error }
  /** No connection, no answer in time, or only answers that ask to try again. */
  | { readonly kind: 'unreachable'; readonly error: Error };

/** What the body of a successful response says. An empty body and any JSON object stand for success; many receivers send no more. */
export function takenAnswer(response: Uint8Array | undefined): Answer {
  if (response?.length === 0) return { kind: 'taken', rejected: 0, message: '' };
  const parsed = response === undefined ? undefined : parseObject(response);
  if (parsed === undefined) return { kind: 'unconfirmed' };
  const partial = (parsed.partialSuccess ?? {}) as { rejectedSpans?: unknown; errorMessage?: unknown };
  const rejected = Number(partial.rejectedSpans ?? 0);
  const message = typeof partial.errorMessage === 'string' ? partial.errorMessage : '';
  return { kind: 'taken', rejected: Math.max(rejected || 0, 0), message };
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

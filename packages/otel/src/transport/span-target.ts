import type { Encoding } from '../encoding/encoding.js';

/** What became of a request. */
export type Sent =
  /** `rejected`: spans of it that were not taken, with the receiver's reason. */
  | { readonly kind: 'taken'; readonly rejected: number; readonly message: string }
  /** For good. */
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string }
  /**
   * Not now. `waitMillis` is what the receiver asked for; with `isFault` trying again helps only when somebody has
   * mended an address or a key.
   */
  | { readonly kind: 'unreachable'; readonly reason: string; readonly waitMillis?: number; readonly isFault?: boolean };

/** Where requests go. */
export interface SpanTarget {
  /** What messages call it: an address without credentials, or a path. */
  readonly place: string;
  /** Never rejects. */
  send(body: Uint8Array, signal: AbortSignal, encoding: Encoding): Promise<Sent>;
  close(): Promise<void>;
}

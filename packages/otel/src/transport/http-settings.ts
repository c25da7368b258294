/** An OTLP/HTTP receiver and how to speak to it. */
export interface HttpSettings {
  /** The full address, with `/v1/traces`. */
  readonly url: string;
  /** Sent with each request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Longest wait for one request, in milliseconds. Default: 10,000. */
  readonly timeoutMillis?: number | undefined;
  /** Default: none. */
  readonly compression?: 'none' | 'gzip' | undefined;
  /** PEM: certificates that are trusted in place of those of Node.js. */
  readonly ca?: string | Buffer | undefined;
  /** PEM: what this client shows of itself, and its key. */
  readonly cert?: string | Buffer | undefined;
  readonly key?: string | Buffer | undefined;
}

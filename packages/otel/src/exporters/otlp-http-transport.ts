import type { Agent } from 'node:http';
import type * as NodeHttp from '@opentelemetry/otlp-exporter-base/node-http';
import { loadPeer } from '../sdk/peer.js';
import type { ExportResult } from '../sdk/types.js';

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

const COMPONENT_TYPE = 'otlp_http_json_span_exporter';
/** What is left to an answer that comes a little late, before its connection is closed. */
const GRACE_MS = 500;

/**
 * Sends OTLP/JSON bodies with the HTTP transport of `@opentelemetry/otlp-exporter-base`: its retries, and its settings
 * from `OTEL_EXPORTER_OTLP_*` (headers, timeout, compression, certificates). One body at a time.
 */
export class OtlpHttpTransport {
  readonly #delegate: ReturnType<typeof NodeHttp.createOtlpHttpExportDelegate<Uint8Array, unknown>>;
  readonly #deadlineMillis: number;
  #agent: Agent | undefined;
  /** Of the request under way: `undefined` until a response was read. */
  #response: Uint8Array | undefined;

  /** `timeoutMillis`: of one body, retries included. @throws ObserverError `HO_PEER_MISSING`. */
  constructor(url: string, timeoutMillis?: number) {
    const { convertLegacyHttpOptions, createOtlpHttpExportDelegate } = loadPeer<typeof NodeHttp>(
      '@opentelemetry/otlp-exporter-base/node-http',
      'Sending OTLP',
    );
    const config = timeoutMillis === undefined ? { url } : { url, timeoutMillis };
    const options = convertLegacyHttpOptions(config, 'TRACES', 'v1/traces', { 'Content-Type': 'application/json' });
    this.#deadlineMillis = options.timeoutMillis + GRACE_MS;
    const agentFactory = async (protocol: string) => {
      this.#agent = await options.agentFactory(protocol);
      return this.#agent;
    };
    const serializer = {
      serializeRequest: (body: Uint8Array) => body,
      deserializeResponse: (response: Uint8Array) => {
        this.#response = response;
        return {};
      },
    };
    // The transport wants to count spans for metrics that are off.
    const counts = { name: 'span', countItems: () => 0 } as const;
    this.#delegate = createOtlpHttpExportDelegate(
      { ...options, agentFactory },
      serializer,
      COMPONENT_TYPE,
      counts,
      undefined,
    );
  }

  /** Never rejects. */
  async send(body: Uint8Array): Promise<Answer> {
    this.#response = undefined;
    // The transport's own limit is on silence: a receiver that sends a byte now and then could hold it for ever.
    const timer = setTimeout(() => this.#agent?.destroy(), this.#deadlineMillis);
    try {
      const result = await new Promise<ExportResult>((resolve) => this.#delegate.export(body, resolve));
      return result.code === 0 ? taken(this.#response) : failed(result.error);
    } catch (error) {
      return failed(error as Error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes idle connections. */
  async close(): Promise<void> {
    await this.#delegate.shutdown();
    this.#agent?.destroy();
  }
}

/** An empty body and any JSON object stand for success; many receivers send no more. */
function taken(response: Uint8Array | undefined): Answer {
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

function failed(error: Error = new Error('no reason given')): Answer {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? { kind: 'refused', status: code, error } : { kind: 'unreachable', error };
}

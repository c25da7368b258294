import type { Agent } from 'node:http';
import type * as NodeHttp from '@opentelemetry/otlp-exporter-base/node-http';
import { loadPeer } from '../sdk/peer.js';
import type { ExportResult } from '../sdk/types.js';
import { type Answer, takenAnswer } from './otlp-answer.js';

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
      return result.code === 0 ? takenAnswer(this.#response) : failed(result.error);
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

function failed(error: Error = new Error('no reason given')): Answer {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? { kind: 'refused', status: code, error } : { kind: 'unreachable', error };
}

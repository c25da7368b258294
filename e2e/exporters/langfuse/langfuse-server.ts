import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { requestOfProtobuf } from './otlp-protobuf.js';

export const PUBLIC_KEY = 'pk-lf-0123';
export const SECRET_KEY = 'sk-lf-4567';
const PATH = '/api/public/otel/v1/traces';
const NEWEST_INGESTION_VERSION = 4;

export interface TakenRequest {
  readonly contentType: string;
  readonly encoding: string | undefined;
  readonly ingestionVersion: string | undefined;
  /** Bytes as they came, and unpacked. */
  readonly bytes: number;
  readonly unpackedBytes: number;
}

/**
 * Takes and refuses what Langfuse takes and refuses: path, authorization, content type, encoding, ingestion version, ids
 * and lists of spans, and, like a proxy before it, bodies over a bound.
 */
export class LangfuseServer {
  readonly url: string;
  readonly taken: TakenRequest[] = [];
  /** What requests held, in their order. */
  readonly resourceSpans: unknown[] = [];
  readonly refused: { readonly status: number; readonly why: string }[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start({ maxBytes = Number.POSITIVE_INFINITY } = {}): Promise<LangfuseServer> {
    let langfuse: LangfuseServer | undefined;
    const server = createServer((request, response) => void langfuse?.answer(request, response, maxBytes));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    langfuse = new LangfuseServer(server);
    return langfuse;
  }

  async answer(request: IncomingMessage, response: ServerResponse, maxBytes: number): Promise<void> {
    const bytes = await buffer(request);
    const fault = this.#take(request, bytes, maxBytes);
    if (fault !== undefined) this.refused.push(fault);
    response.writeHead(fault?.status ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(fault === undefined ? {} : { error: fault.why }));
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take({ method, url, headers }: IncomingMessage, bytes: Buffer, maxBytes: number) {
    if (method !== 'POST' || url !== PATH) return { status: 404, why: `no such path: ${method} ${url}` };
    const key = Buffer.from(`${PUBLIC_KEY}:${SECRET_KEY}`).toString('base64');
    if (headers.authorization !== `Basic ${key}`) return { status: 401, why: 'Invalid credentials' };
    if (bytes.length > maxBytes) return { status: 413, why: `a body of ${bytes.length} bytes` };
    const contentType = headers['content-type'] ?? '';
    const isJson = contentType.includes('application/json');
    if (!isJson && !contentType.includes('application/x-protobuf')) return { status: 400, why: 'Invalid content type' };
    const version = headers['x-langfuse-ingestion-version'];
    const number = version === undefined ? 0 : Number.parseInt(String(version), 10);
    if (!(number <= NEWEST_INGESTION_VERSION)) return { status: 400, why: `Unsupported ingestion version: ${version}` };
    const encoding = headers['content-encoding'];
    try {
      const unpacked = encoding?.includes('gzip') ? gunzipSync(bytes) : bytes;
      const { resourceSpans } = (isJson ? JSON.parse(unpacked.toString('utf8')) : requestOfProtobuf(unpacked)) as {
        resourceSpans: unknown[];
      };
      const why = faultOf(resourceSpans);
      if (why !== undefined) return { status: 400, why };
      this.resourceSpans.push(...resourceSpans);
      const ingestionVersion = version === undefined ? undefined : String(version);
      this.taken.push({ contentType, encoding, ingestionVersion, bytes: bytes.length, unpackedBytes: unpacked.length });
      return undefined;
    } catch (error) {
      return { status: 400, why: String(error) };
    }
  }
}

const isMissingList = (value: unknown) => value !== undefined && !Array.isArray(value);

/** Langfuse refuses a request whole for one span without ids, or a list that is none. */
function faultOf(resourceSpans: unknown): string | undefined {
  for (const { scopeSpans } of resourceSpans as { scopeSpans: { spans: Record<string, unknown>[] }[] }[]) {
    if (isMissingList(scopeSpans)) return 'scopeSpans is no list';
    for (const { spans } of scopeSpans) {
      if (isMissingList(spans)) return 'spans is no list';
      for (const { traceId, spanId, attributes, events } of spans) {
        if (!/^[0-9a-f]{32}$/.test(String(traceId)) || !/^[0-9a-f]{16}$/.test(String(spanId))) return 'ids';
        if (isMissingList(attributes) || isMissingList(events)) return 'attributes or events are no list';
      }
    }
  }
  return undefined;
}

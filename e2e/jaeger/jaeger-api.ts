import type { OtlpTraces } from './otlp-json.js';
import { type SpanFacts, spanFacts } from './span-facts.js';

export interface SpanWarning {
  readonly spanId: string;
  readonly text: string;
}

/** The attribute in which Jaeger keeps warnings. */
const WARNINGS = '@jaeger@warnings';

/** Microseconds since 1970, long after any recording. */
const LATER = String(Date.UTC(2090) * 1000);

interface LegacyTrace {
  readonly traceID: string;
  readonly spans: readonly { readonly spanID: string; readonly warnings: readonly string[] | null }[];
}

/** Jaeger's query API: v3 for what is stored, v1 for search and warnings, as its UI asks for them. */
export class JaegerApi {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  /**
   * The spans of a trace, none if Jaeger does not know it, without the warnings. What came twice is there once; `raw` gives
   * all that was stored.
   */
  async trace(traceId: string, { raw = false } = {}): Promise<SpanFacts[]> {
    const response = await fetch(`${this.#base}/api/v3/traces/${traceId}?raw_traces=${raw}`);
    if (response.status === 404) return [];
    const { result } = await bodyOf<{ result: OtlpTraces }>(response);
    return spanFacts(result).map((span) => {
      const { [WARNINGS]: _, ...attributes } = span.attributes;
      return { ...span, attributes };
    });
  }

  /** What Jaeger warns of on a trace: at its arrival, and when it is shown. */
  async warnings(traceId: string): Promise<SpanWarning[]> {
    const { data } = await this.#get<{ data: LegacyTrace[] }>(`/api/traces/${traceId}`);
    return data
      .flatMap(({ spans }) => spans)
      .flatMap(({ spanID, warnings }) => (warnings ?? []).map((text) => ({ spanId: spanID, text })));
  }

  async services(): Promise<string[]> {
    return (await this.#get<{ services: string[] }>('/api/v3/services')).services;
  }

  /** Ids of the traces with a span that has all these attributes, sorted: the search by tags of the UI. */
  async find(service: string, tags: Readonly<Record<string, string>>): Promise<string[]> {
    const query = new URLSearchParams({ service, tags: JSON.stringify(tags), limit: '1000', start: '0', end: LATER });
    const { data } = await this.#get<{ data: LegacyTrace[] }>(`/api/traces?${query}`);
    return data.map(({ traceID }) => traceID).sort();
  }

  async #get<T>(path: string): Promise<T> {
    return bodyOf<T>(await fetch(this.#base + path));
  }
}

/** Jaeger answers 200 with a page of its UI where it knows no such path, and its JSON is not always called that. */
async function bodyOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (!response.ok || !text.startsWith('{')) {
    throw new Error(`${response.url}: ${response.status} ${text.slice(0, 300)}`);
  }
  return JSON.parse(text) as T;
}

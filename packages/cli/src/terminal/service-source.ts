import type { TurnColumns } from '../traces/columns.js';
import type { SpanDetail } from '../traces/span-detail.js';
import type { TurnPage } from '../traces/turn-query.js';
import { EventText } from './event-text.js';
import { type ListQuery, type LiveEvent, NotThere, type TurnSource } from './source.js';

/** Where a service listens, and what it asks for. */
export interface ServicePlace {
  readonly url: string;
  readonly token: string;
}

const PATIENCE_MILLIS = 20_000;
/** The service sends a comment each 15 s. */
const SILENCE_MILLIS = 40_000;

/** Turns of a service that runs, over HTTP. After a fault it is looked for anew: its port and its token may be others. */
export class ServiceSource implements TurnSource {
  readonly isLive = true;
  readonly #locate: () => Promise<ServicePlace>;
  #place: ServicePlace | undefined;

  /** @param locate finds the service; throws while there is none */
  constructor(locate: () => Promise<ServicePlace>, place?: ServicePlace) {
    this.#locate = locate;
    this.#place = place;
  }

  turns({ text, outcome }: ListQuery, limit: number, before: string | null, signal: AbortSignal): Promise<TurnPage> {
    const query = new URLSearchParams({ limit: String(limit) });
    if (text !== '') query.set('text', text);
    if (outcome !== '') query.set('outcome', outcome);
    if (before !== null) query.set('before', before);
    return this.#json(`/api/turns?${query}`, signal);
  }

  turn(trace: string, signal: AbortSignal): Promise<TurnColumns> {
    return this.#json(`/api/turns/${encodeURIComponent(trace)}`, signal);
  }

  span(trace: string, span: string, signal: AbortSignal): Promise<SpanDetail> {
    return this.#json(`/api/turns/${encodeURIComponent(trace)}/spans/${encodeURIComponent(span)}`, signal);
  }

  async watch(
    from: number,
    trace: string | undefined,
    onEvent: (event: LiveEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const query = new URLSearchParams({ from: String(from) });
    if (trace !== undefined) query.set('trace', trace);
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error('the service is silent')), SILENCE_MILLIS);
    try {
      const response = await this.#get(`/api/live?${query}`, AbortSignal.any([signal, silence.signal]));
      const events = new EventText(onEvent);
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        timer.refresh();
        events.push(decoder.decode(chunk as Uint8Array, { stream: true }));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async #json<T>(path: string, signal: AbortSignal): Promise<T> {
    const response = await this.#get(path, AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MILLIS)]));
    return (await response.json()) as T;
  }

  async #get(path: string, signal: AbortSignal): Promise<Response> {
    this.#place ??= await this.#locate();
    const { url, token } = this.#place;
    let response: Response;
    try {
      response = await fetch(url + path, {
        headers: { authorization: `Bearer ${token}` },
        redirect: 'manual',
        signal,
      });
    } catch (error) {
      this.#place = undefined;
      throw error;
    }
    if (response.ok) return response;
    await response.body?.cancel();
    if (response.status === 404) throw new NotThere('it is not there any more');
    this.#place = undefined;
    throw new Error(`the service answers with ${response.status}`);
  }
}

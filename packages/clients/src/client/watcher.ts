import {
  type AdapterHost,
  type AdapterRequest,
  type AdapterTurn,
  BoundedMap,
  CountedUses,
  Guard,
  type Scope,
  type ScopeStore,
  scopesOf,
} from '@hermes-observer/adapter';
import { type Fields, fieldsOf, textOf } from '../answer/fields.js';
import type { ClientsOptions, FrameworkSpans } from '../options.js';
import { ClientCall } from './client-call.js';
import { originOf, protocolOf, providerOf } from './endpoint.js';
import { ownSpansOf } from './own-spans.js';
import { turnOfOwn } from './turn-of-own.js';
import { isInWrappedRequest } from './wrapped-request.js';

/** Answers that a later request may go on from; from here on the oldest are forgotten. */
const MOST_ANSWERS = 10_000;

/** Requests that clients made; any other in whose scope a client is called is of the framework that calls it. */
const own = new WeakSet<AdapterRequest>();

/** Watches clients for one observer. */
export class Watcher {
  readonly host: AdapterHost;
  readonly guard: Guard;
  readonly scopes: ScopeStore;
  /** Clients, and prototypes of all clients of a class, that it watches. */
  readonly watched = new CountedUses<object>();
  readonly #frameworkSpans: FrameworkSpans;
  /** The session of an answer, by its id. */
  readonly #sessions = new BoundedMap<string, string>(MOST_ANSWERS);

  constructor(host: AdapterHost, { onWarning, frameworkSpans = 'warn' }: ClientsOptions) {
    this.host = host;
    this.guard = new Guard('@hermes-observer/clients', onWarning);
    this.scopes = scopesOf(host, this.guard);
    this.#frameworkSpans = frameworkSpans;
  }

  /** A client begins to ask. `undefined` where that is not to be told. */
  call(client: object, options: unknown): ClientCall | undefined {
    const protocol = protocolOf(options);
    if (protocol === undefined) return undefined;
    const scope = this.scopes.getStore();
    const around = scope?.turn.isEnded === false ? scope : undefined;
    const above = around?.request;
    if (around !== undefined && above !== undefined && !above.isEnded && !own.has(above))
      return new ClientCall(this, protocol, { turn: around.turn, request: above, isOfFramework: true });
    if (this.yields(client) || (around === undefined && isInWrappedRequest(this.host))) return undefined;
    const { body, signal } = fieldsOf(options);
    const asks = fieldsOf(body);
    const { userMessage, model, messages, recordedMessages, systemPrompt, maxTokens } = protocol.asks(asks);
    const ownTurn = turnOfOwn(this, around, {
      sessionId: around === undefined ? this.#sessionOf(asks) : undefined,
      userMessage,
      model,
    });
    const turn = ownTurn ?? (around as Scope).turn;
    const request = turn.request({
      model,
      messages,
      recordedMessages,
      systemPrompt,
      maxTokens,
      provider: providerOf(client, protocol),
      baseUrl: originOf(client),
      apiMode: protocol.apiMode,
    });
    own.add(request);
    return new ClientCall(this, protocol, {
      turn,
      request,
      isOfFramework: false,
      isWholeTurn: ownTurn !== undefined,
      isKept: protocol.apiMode === 'codex_responses' || asks.thread !== undefined,
      signal: signal instanceof AbortSignal ? signal : undefined,
    });
  }

  /** An answer came that others may go on from. */
  answered(turn: AdapterTurn, value: unknown): void {
    const { id } = fieldsOf(value);
    if (typeof id === 'string') this.#sessions.set(id, turn.sessionId);
  }

  /** The conversation that the provider keeps, or the one of the answer that this goes on from. */
  #sessionOf({ conversation, previous_response_id, thread }: Fields): string | undefined {
    const previous = textOf(previous_response_id) ?? textOf(fieldsOf(thread).previous_message_id);
    return (
      textOf(conversation) ??
      textOf(fieldsOf(conversation).id) ??
      (previous === undefined ? undefined : this.#sessions.get(previous))
    );
  }

  /** Whether spans of this client are left to whoever makes others. */
  yields(client: object): boolean {
    if (this.#frameworkSpans === 'keep') return false;
    const who = ownSpansOf(client);
    if (who === undefined) return false;
    if (this.#frameworkSpans === 'yield') return true;
    this.guard.tell(`${who}, which now count twice: take that out, or set frameworkSpans to 'yield' or 'keep'`);
    return false;
  }
}

import { callLinks } from './call-links.js';
import type { ClientCall } from './client-call.js';
import { followBody } from './followed-body.js';
import { followAnswer } from './followed-stream.js';
import type { Watcher } from './watcher.js';

/** One call of a client, for all that watch it. */
export class CallGroup {
  readonly client: object;
  readonly #watchers: readonly Watcher[];
  #calls: readonly ClientCall[] = [];
  #wasSent = false;
  /** The client reads the answer itself; else the program has the response as it came. */
  isParsed = false;
  /** What the client gave for it: each one made of the one before. */
  readonly promises: { readonly parsedPromise?: unknown }[] = [];

  constructor(client: object, watchers: readonly Watcher[]) {
    this.client = client;
    this.#watchers = watchers;
  }

  /** What is asked is known. To be called before the client sends it, in the program's own context. */
  begin(options: unknown): void {
    const begun = this.#watchers.map((watcher) => watcher.guard.safely(() => watcher.call(this.client, options)));
    this.#calls = begun.filter((call) => call !== undefined);
  }

  /** Whether the answer is being read by the client, or will be. */
  get isRead(): boolean {
    return this.isParsed || this.promises.some(({ parsedPromise }) => parsedPromise !== undefined);
  }

  /** For what concerns no single call. */
  safely(what: () => void): void {
    this.#watchers[0]?.guard.safely(what);
  }

  /** Tells each call; whatever throws stays inside. */
  tell(what: (call: ClientCall) => void): void {
    for (const call of this.#calls) call.guard.safely(() => what(call));
  }

  /** Sends an attempt by calling `send` once, with the request's span as the active one. */
  async attempt(send: () => Promise<Response>): Promise<Response> {
    this.#wasSent = true;
    this.tell((call) => call.attempt());
    let response: Response;
    try {
      response = await this.enter(send);
    } catch (error) {
      this.tell((call) => call.broke(error));
      throw error;
    }
    if (isRefused(response)) this.tell((call) => call.refused(response.status));
    return response;
  }

  /** Calls `fn` at once in the scopes of the calls from `first` on. */
  enter<T>(fn: () => T, first = 0): T {
    const call = this.#calls[first];
    if (call === undefined) return fn();
    const isLast = first === this.#calls.length - 1;
    return call.enter(isLast ? fn : () => this.enter(fn, first + 1));
  }

  /** Whether scopes of it may have ended with the first `await` of what was called in them. */
  get isBrief(): boolean {
    return this.#calls.some(({ isWholeTurn }) => isWholeTurn);
  }

  /** The client tries again. */
  retrying(): void {
    if (this.#hasAttempts()) this.tell((call) => call.retrying());
  }

  /** The client has an answer, read: whole, or as a stream. */
  parsed(value: unknown): void {
    this.isParsed = true;
    this.#hasAttempts();
    this.safely(() => followAnswer(value, this.#calls));
  }

  /** The program, or another part of the client, has the response as it came. */
  unparsed(response: unknown): void {
    this.#hasAttempts();
    this.safely(() => {
      if (this.#calls.length > 0) followBody(response, this, this.#calls);
    });
  }

  /** By now it has some; else they are made in a way that is not followed. */
  #hasAttempts(): boolean {
    if (!this.#wasSent && this.#calls.length > 0) callLinks.lost();
    return this.#wasSent;
  }
}

/** What a `fetch` of the program gives may be anything. What is no response throws in the client, which does not ask again. */
function isRefused(response: Response): boolean {
  try {
    return !response.ok;
  } catch {
    return false;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObserverError } from '@hermes-observer/core';
import type { Access } from './access.js';

/** What a path does for whom. */
export interface FurtherRoute {
  /** `token`: a header has it. `reader`: that, or the cookie. `anyone`: the route looks itself. */
  readonly asks: 'token' | 'reader' | 'anyone';
  readonly answer: (request: IncomingMessage, response: ServerResponse, access: Access) => Promise<void> | void;
}

/** Paths beside those of the protocol. `Host` and `Origin` are looked at before any of them. */
export interface FurtherRoutes {
  /** Sets headers that stand on every answer, errors too. */
  prepare(response: ServerResponse): void;
  /** @throws RequestError 405 for a path that is known and a method that is not. */
  find(request: IncomingMessage, path: string): FurtherRoute | undefined;
  /** Answers an error for a person. @returns false to have it answered as any other */
  fail(request: IncomingMessage, response: ServerResponse, error: ObserverError): boolean;
  /** Ends answers that would go on for ever. */
  stop(): void;
}

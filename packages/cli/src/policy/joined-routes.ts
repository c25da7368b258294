import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObserverError } from '@hermes-observer/core';
import type { FurtherRoute, FurtherRoutes } from '../listeners/http/further-routes.js';

/** Further paths of several parts; of two that know a path the first one has it. */
export class JoinedRoutes implements FurtherRoutes {
  readonly #parts: readonly FurtherRoutes[];

  constructor(parts: readonly FurtherRoutes[]) {
    this.#parts = parts;
  }

  prepare(response: ServerResponse): void {
    for (const part of this.#parts) part.prepare(response);
  }

  find(request: IncomingMessage, path: string): FurtherRoute | undefined {
    for (const part of this.#parts) {
      const route = part.find(request, path);
      if (route !== undefined) return route;
    }
    return undefined;
  }

  fail(request: IncomingMessage, response: ServerResponse, error: ObserverError): boolean {
    return this.#parts.some((part) => part.fail(request, response, error));
  }

  stop(): void {
    for (const part of this.#parts) part.stop();
  }
}

import { Observer } from './observer.js';
import type { ObserverOptions } from './options.js';

/**
 * One call to observe an agent in this process: its hooks (`observer.hub.emit`), or the work itself (`observer.turn`),
 * become spans that go where the options, or the standard `OTEL_*` variables, say.
 *
 * ```ts
 * await using observer = createObserver({ serviceName: 'my-agent' });
 * await observer.turn({ sessionId: 'chat-1', userMessage: 'hi' }, async (turn) => { … });
 * ```
 *
 * @throws ObserverError `HO_OPTION` for a wrong setting, `HO_PEER_MISSING` for a package that is needed.
 */
export function createObserver(options: ObserverOptions = {}): Observer {
  return new Observer(options);
}

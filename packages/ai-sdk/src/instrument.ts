import type { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import { type AdapterHost, Guard, type Scope, scopesOf, sharedObserver } from '@hermes-observer/adapter';
import type { AiSdkOptions } from './options.js';
import type { ChannelMessage } from './sdk/events.js';
import { registered } from './sdk/framework-spans.js';
import { integrationOf } from './tracing/integration.js';
import { AiSdkTracing } from './tracing/tracing.js';

const CHANNEL = 'ai:telemetry';

const instrumented = new WeakMap<AdapterHost, () => void>();

/**
 * Observes each `generateText`, `streamText` and agent of the AI SDK 7 in this process, from now on, whichever copy of `ai`
 * runs it; `ai` itself is not loaded. Calls with `telemetry: { isEnabled: false }` are not seen. Again with the same
 * observer it does nothing more. Returns the function that ends it; runs under way are then told of no further.
 *
 * @throws ObserverError where no `observer` is given and the environment has a wrong setting.
 */
export function instrumentAiSdk(options: AiSdkOptions = {}): () => void {
  const host = options.observer ?? sharedObserver();
  const known = instrumented.get(host);
  if (known !== undefined) return known;
  const guard = new Guard('@hermes-observer/ai-sdk', options.onWarning);
  const scopes = scopesOf(host, guard);
  const tracing = new AiSdkTracing(host, guard, options);
  const channel = tracingChannel<Scope | undefined, ChannelMessage>(CHANNEL);
  const ended = (message: unknown) => void guard.safely(() => tracing.ended(message as ChannelMessage));
  const integration = integrationOf(tracing, scopes, guard);
  // Of a storage that is bound, `run` alone is called.
  const storage = scopes as unknown as AsyncLocalStorage<Scope | undefined>;
  channel.start.bindStore(storage, (message) => {
    const around = scopes.getStore();
    return guard.safely(() => tracing.start(message as ChannelMessage, around)) ?? around;
  });
  channel.asyncEnd.subscribe(ended);
  registered().push(integration);
  const end = () => {
    if (!instrumented.delete(host)) return;
    channel.start.unbindStore(storage);
    channel.asyncEnd.unsubscribe(ended);
    const all = registered();
    const place = all.indexOf(integration);
    if (place >= 0) all.splice(place, 1);
  };
  instrumented.set(host, end);
  return end;
}

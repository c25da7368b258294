import type { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  type AdapterHost,
  type AdapterRequest,
  besideShared,
  CountedUses,
  checkOptions,
  followHttpAttempts,
  Guard,
  type Scope,
  ScopeEntry,
  scopesOf,
  sharedObserver,
} from '@hermes-observer/adapter';
import { type AiSdkOptions, KNOWN_OPTIONS } from './options.js';
import type { ChannelMessage } from './sdk/events.js';
import { registered } from './sdk/framework-spans.js';
import { Handlers6, type Watcher } from './tracing/handlers-6.js';
import { integrationOf } from './tracing/integration.js';
import { Integration6 } from './tracing/integration-6.js';
import { AiSdkTracing } from './tracing/tracing.js';
import { watchers } from './watchers.js';

const CHANNEL = 'ai:telemetry';

/** Of all observers. */
const integration6 = new Integration6(watchers);

const instrumented = new CountedUses<AdapterHost>();

/**
 * Observes each `generateText`, `streamText` and agent of the AI SDK 6 and 7 in this process, from now on, whichever copy of `ai`
 * runs it; `ai` itself is not loaded. Calls of 7 with `telemetry: { isEnabled: false }` are not seen. Again with the same
 * observer it does nothing more, and the options of the first time count. Returns the function that ends it, with the last one of
 * those that the same observer has; runs under way are then told of no further.
 *
 * @throws ObserverError for a wrong option, or where no `observer` is given and the environment has a wrong setting.
 */
export function instrumentAiSdk(options: AiSdkOptions = {}): () => void {
  checkOptions('instrumentAiSdk', options, KNOWN_OPTIONS);
  const host = options.observer ?? sharedObserver();
  return instrumented.begin(host, () => observe(host, options));
}

function observe(host: AdapterHost, options: AiSdkOptions): () => void {
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
  const endOf6 = observe6({ tracing, scopes, guard, entry: new ScopeEntry(scopes) });
  const leave = besideShared('ai-sdk', host, guard);
  return () => {
    leave();
    channel.start.unbindStore(storage);
    channel.asyncEnd.unsubscribe(ended);
    const all = registered();
    const place = all.indexOf(integration);
    if (place >= 0) all.splice(place, 1);
    endOf6();
  };
}

/** The first integration is called where the SDK calls; the others once it has waited. */
function observe6(watcher: Watcher): () => void {
  if (watchers.size === 0) registered().unshift(integration6);
  watchers.add(watcher);
  const { scopes, guard } = watcher;
  const owns = (request: AdapterRequest) => Handlers6.ofRequest(request) !== undefined;
  const endAttempts = followHttpAttempts(scopes, guard, owns, (request, error, isRetried) =>
    Handlers6.ofRequest(request)?.httpFailed(request, error, isRetried),
  );
  return () => {
    endAttempts();
    watchers.delete(watcher);
    const all = registered();
    const place = all.indexOf(integration6);
    if (watchers.size === 0 && place >= 0) all.splice(place, 1);
  };
}

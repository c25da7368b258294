import {
  type AdapterHost,
  besideShared,
  CountedUses,
  checkOptions,
  followHttpAttempts,
  Guard,
  scopesOf,
  sharedObserver,
} from '@hermes-observer/adapter';
import { isLoaded, onLoadedCopy } from './loading/loaded-copies.js';
import { KNOWN_OPTIONS, type OpenAIAgentsModule, type OpenAIAgentsOptions } from './options.js';
import { wrapMethod } from './patching/wrapped-method.js';
import { ModelCalls } from './run/model-calls.js';
import { ObservedRuns } from './run/observed-runs.js';
import { RunStore } from './run/run-store.js';

/** By observer, and the `Runner` of a copy, or `LOADED` for those that are loaded later. */
const instrumented = new WeakMap<AdapterHost, CountedUses<object>>();
const LOADED = {};

/**
 * Observes each run of the OpenAI Agents SDK from now on: of the copy that is given, or of each that is loaded later. The
 * SDK's own tracing stays as it is. Again with the same observer and copy it does nothing more, and the options of the
 * first time count. Returns the function that ends it, with the last one of those that the same observer and copy have; runs under
 * way are then told of no further.
 *
 * @throws ObserverError for a wrong option, or where no `observer` is given and the environment has a wrong setting.
 */
export function instrumentOpenAIAgents(options: OpenAIAgentsOptions = {}): () => void {
  checkOptions('instrumentOpenAIAgents', options, KNOWN_OPTIONS);
  const { agents, observer: host = sharedObserver() } = options;
  const copies = instrumented.get(host) ?? new CountedUses<object>();
  instrumented.set(host, copies);
  return copies.begin(agents?.Runner.prototype ?? LOADED, () => {
    const guard = new Guard('@hermes-observer/openai-agents', options.onWarning);
    const ends = agents === undefined ? observeLater(guard, options, host) : observe(agents, guard, options, host);
    const leave = besideShared('openai-agents', host, guard);
    return () => {
      leave();
      for (const one of ends) one();
    };
  });
}

function observe(
  { Runner }: OpenAIAgentsModule,
  guard: Guard,
  { frameworkSpans }: OpenAIAgentsOptions,
  host: AdapterHost,
): (() => void)[] {
  const scopes = scopesOf(host, guard);
  const runs = new RunStore();
  const models = new ModelCalls(guard, scopes, runs, frameworkSpans);
  const observed = new ObservedRuns(host, guard, scopes, runs, models);
  return [
    wrapMethod(Runner.prototype, 'run', observed.aroundRun),
    wrapMethod(Runner.prototype, 'emit', observed.aroundEmit),
    followHttpAttempts(scopes, guard, (request) => models.has(request)),
    () => models.end(),
  ];
}

function observeLater(guard: Guard, options: OpenAIAgentsOptions, host: AdapterHost): (() => void)[] {
  if (isLoaded()) {
    guard.tell('a copy of @openai/agents is loaded already, and not observed: pass it as `agents`');
  }
  const ends: (() => void)[] = [];
  const forget = onLoadedCopy((agents) => {
    const end = guard.safely(() => instrumentOpenAIAgents({ ...options, observer: host, agents }));
    if (end !== undefined) ends.push(end);
  });
  return [
    forget,
    () => {
      for (const end of ends) end();
    },
  ];
}

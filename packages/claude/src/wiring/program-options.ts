import { type AdapterHost, type Guard, isPromise, type ScopeStore } from '@hermes-observer/adapter';
import type { ClaudeRun } from '../agent/run.js';
import { type Fields, fieldsOf, textOf } from '../sdk/fields.js';
import { withFields } from '../sdk/with-fields.js';
import { observedServers, plainServers } from './mcp-servers.js';
import { isAdded, originalOf, standsIn } from './stand-ins.js';

/** What hooks tell of. All others say nothing that spans have. */
const EVENTS = [
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Stop',
  'StopFailure',
  'SessionEnd',
] as const;

/** Where events of a process go. */
export interface RunSource {
  /** The run of a hook's session. */
  ofSession(event: Fields): ClaudeRun | undefined;
  /** The run that has a call. */
  ofCall(callId: unknown): ClaudeRun | undefined;
}

export interface Wiring {
  readonly host: AdapterHost;
  /** Of a query that is observed, and not of hooks alone. */
  readonly isOfQuery: boolean;
  readonly source: RunSource;
  readonly guard: Guard;
  readonly scopes: ScopeStore;
}

type Callback = (this: unknown, ...args: unknown[]) => unknown;

/** Options as they were before they were observed for this host, if they are. What others observe in them stays. */
export function plainOptions(options: Fields, host: AdapterHost): Fields {
  const { hooks, canUseTool, mcpServers } = options;
  const plain = withFields(options, {});
  if (typeof hooks === 'object' && hooks !== null) {
    plain.hooks = Object.fromEntries(
      Object.entries(hooks).map(([event, entries]) => [
        event,
        Array.isArray(entries)
          ? entries.map((one) => originalOf(one, host)).filter((one) => one !== undefined)
          : entries,
      ]),
    );
  }
  if (canUseTool !== undefined) plain.canUseTool = originalOf(canUseTool, host);
  if (mcpServers !== undefined) plain.mcpServers = plainServers(mcpServers, host);
  return plain;
}

/** Whether hooks of the program decide on calls. */
export function hasToolHooks(options: Fields): boolean {
  const entries = fieldsOf(options.hooks).PreToolUse;
  return Array.isArray(entries) && entries.some((one) => !isAdded(one));
}

/** Options that tell the runs of `source`, and are else what they were: the program's own hooks come first, and are asked as before. */
export function observedOptions(options: Fields, wiring: Wiring): Fields {
  const observed = withFields(options, { hooks: observedHooks(fieldsOf(options.hooks), wiring) });
  const { canUseTool, mcpServers } = options;
  if (typeof canUseTool === 'function') observed.canUseTool = observedPermission(canUseTool as Callback, wiring);
  if (mcpServers !== undefined) observed.mcpServers = observedServers(mcpServers, wiring);
  return observed;
}

function observedHooks(hooks: Fields, wiring: Wiring): Fields {
  const { source, guard, host, isOfQuery } = wiring;
  const told: Callback = async (event) => {
    guard.safely(() => source.ofSession(fieldsOf(event))?.hook(fieldsOf(event)));
    return {};
  };
  const all: Record<string, unknown> = { ...hooks };
  for (const event of EVENTS) {
    const own = Array.isArray(hooks[event]) ? (hooks[event] as unknown[]) : [];
    const decides = event === 'PreToolUse';
    const entry = { hooks: [told] };
    standsIn(entry, { original: undefined, host, isOfQuery });
    all[event] = [...(decides ? own.map((one) => decidingEntry(one, wiring)) : own), entry];
  }
  return all;
}

/** An entry of the program whose decisions are noted. */
function decidingEntry(entry: unknown, wiring: Wiring): unknown {
  const { hooks } = fieldsOf(entry);
  if (!Array.isArray(hooks) || isAdded(entry)) return entry;
  const observed = {
    ...(entry as object),
    hooks: hooks.map((one) => (typeof one === 'function' ? decidingHook(one as Callback, wiring) : one)),
  };
  standsIn(observed, { original: entry, host: wiring.host, isOfQuery: wiring.isOfQuery });
  return observed;
}

function decidingHook(hook: Callback, { source, guard }: Wiring): Callback {
  return function (this: unknown, ...args) {
    const result = hook.apply(this, args);
    guard.safely(() => {
      const callId = fieldsOf(args[0]).tool_use_id ?? args[1];
      const noted = (output: unknown) =>
        void guard.safely(() =>
          source
            .ofCall(callId)
            ?.decided(callId, textOf(fieldsOf(fieldsOf(output).hookSpecificOutput).permissionDecision)),
        );
      if (isPromise(result)) result.then(noted, () => noted(undefined));
      else noted(result);
    });
    return result;
  };
}

/** The program's `canUseTool`, called once, in the scope of the call. */
function observedPermission(canUseTool: Callback, wiring: Wiring): Callback {
  const { source, guard, scopes, host, isOfQuery } = wiring;
  const observed: Callback = function (this: unknown, ...args) {
    const [name, input, options] = args;
    const { toolUseID, agentID, requestId } = fieldsOf(options);
    const run = guard.safely(() => source.ofCall(toolUseID));
    const call = guard.safely(() => run?.asked(toolUseID, String(name), input, agentID, requestId));
    const scope = guard.safely(() => run?.scopeOf(toolUseID));
    const answered = (answer: unknown) => void guard.safely(() => call?.answered(choiceOf(fieldsOf(answer))));
    let result: unknown;
    try {
      result = scopes.run(scope, () => canUseTool.apply(this, args));
    } catch (error) {
      answered(undefined);
      throw error;
    }
    if (isPromise(result)) result.then(answered, () => answered(undefined));
    else answered(result);
    return result;
  };
  standsIn(observed, { original: canUseTool, host, isOfQuery });
  return observed;
}

/** The contract's word for an answer. One that is none, as of a callback that failed, lets nothing run. */
function choiceOf({ behavior, updatedPermissions, decisionClassification }: Fields): string {
  if (behavior !== 'allow') return 'deny';
  if (decisionClassification === 'user_temporary') return 'once';
  if (decisionClassification === 'user_permanent') return 'always';
  const updates = Array.isArray(updatedPermissions) ? updatedPermissions.map(fieldsOf) : [];
  const adds = updates.filter(({ type, behavior: becomes }) => type === 'addRules' && becomes === 'allow');
  if (adds.length === 0) return 'once';
  return adds.every(({ destination }) => destination === 'session') ? 'session' : 'always';
}

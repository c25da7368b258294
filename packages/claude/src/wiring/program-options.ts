import type { Guard, ScopeStore } from '@hermes-observer/adapter';
import type { ClaudeRun } from '../agent/run.js';
import { type Fields, fieldsOf, textOf } from '../sdk/fields.js';
import { observedServers, plainServers } from './mcp-servers.js';

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
  readonly source: RunSource;
  readonly guard: Guard;
  readonly scopes: ScopeStore;
}

type Callback = (this: unknown, ...args: unknown[]) => unknown;

/** What stands in options for the program's own: entries of ours have none. */
const originals = new WeakMap<object, unknown>();
const isOurs = (value: unknown): value is object => typeof value === 'object' && value !== null && originals.has(value);

/** Options as the program gave them, where they are observed already. */
export function plainOptions(options: Fields): Fields {
  const { hooks, canUseTool, mcpServers } = options;
  const plain = { ...options };
  if (typeof hooks === 'object' && hooks !== null) {
    plain.hooks = Object.fromEntries(
      Object.entries(hooks).map(([event, entries]) => [
        event,
        Array.isArray(entries)
          ? entries.filter((one) => !isAdded(one)).map((one) => (isOurs(one) ? originals.get(one) : one))
          : entries,
      ]),
    );
  }
  if (typeof canUseTool === 'function' && originals.has(canUseTool)) plain.canUseTool = originals.get(canUseTool);
  if (mcpServers !== undefined) plain.mcpServers = plainServers(mcpServers);
  return plain;
}

const isAdded = (entry: unknown) => isOurs(entry) && originals.get(entry) === undefined;

/** Whether hooks of the program decide on calls. */
export function hasToolHooks(options: Fields): boolean {
  const entries = fieldsOf(options.hooks).PreToolUse;
  return Array.isArray(entries) && entries.length > 0;
}

/** Options that tell the runs of `source`, and are else what they were: the program's own hooks come first, and are asked as before. */
export function observedOptions(options: Fields, wiring: Wiring): Fields {
  const observed: Record<string, unknown> = { ...options, hooks: observedHooks(fieldsOf(options.hooks), wiring) };
  const { canUseTool, mcpServers } = options;
  if (typeof canUseTool === 'function') observed.canUseTool = observedPermission(canUseTool as Callback, wiring);
  if (mcpServers !== undefined) observed.mcpServers = observedServers(mcpServers, wiring);
  return observed;
}

function observedHooks(hooks: Fields, { source, guard, scopes }: Wiring): Fields {
  const told: Callback = async (event) => {
    guard.safely(() => source.ofSession(fieldsOf(event))?.hook(fieldsOf(event)));
    return {};
  };
  const all: Record<string, unknown> = { ...hooks };
  for (const event of EVENTS) {
    const own = Array.isArray(hooks[event]) ? (hooks[event] as unknown[]) : [];
    const decides = event === 'PreToolUse';
    const entry = { hooks: [told] };
    originals.set(entry, undefined);
    all[event] = [...(decides ? own.map((one) => decidingEntry(one, { source, guard, scopes })) : own), entry];
  }
  return all;
}

/** An entry of the program whose decisions are noted. */
function decidingEntry(entry: unknown, wiring: Wiring): unknown {
  const { hooks } = fieldsOf(entry);
  if (!Array.isArray(hooks)) return entry;
  const observed = {
    ...(entry as object),
    hooks: hooks.map((one) => (typeof one === 'function' ? decidingHook(one as Callback, wiring) : one)),
  };
  originals.set(observed, entry);
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
      if (result instanceof Promise) result.then(noted, () => noted(undefined));
      else noted(result);
    });
    return result;
  };
}

/** The program's `canUseTool`, called once, in the scope of the call. */
function observedPermission(canUseTool: Callback, { source, guard, scopes }: Wiring): Callback {
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
    if (result instanceof Promise) result.then(answered, () => answered(undefined));
    else answered(result);
    return result;
  };
  originals.set(observed, canUseTool);
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

import { configError } from './config-error.js';
import type { HookEvent, PolicyHook } from './hook.js';
import { type RegisteredHook, registerHook } from './registered-hook.js';

/** A hook that may be for a tool. `fails`: its pattern could not be tested on the tool's name, so nobody knows. */
export interface Candidate {
  readonly hook: RegisteredHook;
  readonly fails: unknown;
}

/** Names of tools that candidates are remembered for, and characters of each. */
const MOST_TOOLS = 1000;
const LONGEST_TOOL = 256;

/** The hooks of a policy, by event and priority. */
export class HookTable {
  readonly all: readonly RegisteredHook[];
  readonly #byEvent: ReadonlyMap<HookEvent, readonly RegisteredHook[]>;
  /** A tool's name is matched once: a call pays only for the hooks that may be for it. */
  readonly #candidates = new Map<HookEvent, Map<string, readonly Candidate[]>>();

  /** Throws `HO_POLICY_CONFIG` for a hook that makes no sense, and for a name used twice for an event. */
  constructor(hooks: readonly PolicyHook[]) {
    if (!Array.isArray(hooks)) throw configError('`hooks` must be a list of hooks.');
    const registered = hooks.map((hook: PolicyHook, i) => registerHook(hook, i + 1));
    const names = new Set<string>();
    for (const { event, name } of registered) {
      if (names.has(`${event} ${name}`)) throw configError(`Two hooks for ${event} are named \`${name}\`.`);
      names.add(`${event} ${name}`);
    }
    // Stable: ties stay in the order of registration.
    this.all = registered.toSorted((a, b) => (a.priority === b.priority ? 0 : a.priority - b.priority));
    this.#byEvent = groupByEvent(this.all);
  }

  /** Those whose tool pattern matches, in the order in which they run. */
  candidates(event: HookEvent, tool: string): readonly Candidate[] {
    let known = this.#candidates.get(event);
    if (known === undefined) {
      known = new Map();
      this.#candidates.set(event, known);
    }
    let candidates = known.get(tool);
    if (candidates === undefined) {
      candidates = this.#find(event, tool);
      // A pattern that took too long may do so for once.
      if (tool.length > LONGEST_TOOL || candidates.some(({ fails }) => fails !== undefined)) return candidates;
      if (known.size >= MOST_TOOLS) known.clear();
      known.set(tool, candidates);
    }
    return candidates;
  }

  #find(event: HookEvent, tool: string): readonly Candidate[] {
    const found: Candidate[] = [];
    for (const hook of this.#byEvent.get(event) ?? []) {
      try {
        if (hook.matcher.tool?.(tool) ?? true) found.push({ hook, fails: undefined });
      } catch (error) {
        found.push({ hook, fails: error });
      }
    }
    return found;
  }
}

function groupByEvent(hooks: readonly RegisteredHook[]): ReadonlyMap<HookEvent, readonly RegisteredHook[]> {
  const groups = new Map<HookEvent, RegisteredHook[]>();
  for (const hook of hooks) {
    const group = groups.get(hook.event);
    if (group === undefined) groups.set(hook.event, [hook]);
    else group.push(hook);
  }
  return groups;
}

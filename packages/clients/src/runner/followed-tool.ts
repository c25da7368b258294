import { fieldsOf, textOf } from '../answer/fields.js';
import type { AgentLoop } from './agent-loop.js';

type Fn = (this: unknown, ...args: unknown[]) => unknown;

const followed = new WeakMap<object, FollowedTool>();

/** Whether Anthropic's runner runs it by itself. */
export const isRunnable = (tool: unknown): tool is object => {
  const { name, run } = fieldsOf(tool);
  return typeof name === 'string' && typeof run === 'function';
};

/** Whether a tool can be followed as the object it is. */
export function canFollow(tool: object): boolean {
  const own = Object.getOwnPropertyDescriptor(tool, 'run');
  return own === undefined ? Object.isExtensible(tool) : own.configurable === true;
}

/**
 * Has a loop told when it runs a tool. The tool stays the object it is: its methods see what they did, and what the program
 * makes of its `run` meanwhile counts. Returns what ends it: when no loop has it, its `run` is as it was.
 */
export function followTool(tool: object, loop: AgentLoop): () => void {
  const known = followed.get(tool) ?? new FollowedTool(tool);
  followed.set(tool, known);
  known.loops.add(loop);
  return () => {
    known.loops.delete(loop);
    if (known.loops.size > 0) return;
    followed.delete(tool);
    known.putBack();
  };
}

class FollowedTool {
  readonly loops = new Set<AgentLoop>();
  readonly #tool: object;
  readonly #get: () => unknown;
  readonly #set: ((value: unknown) => void) | undefined;
  #own: PropertyDescriptor | undefined;
  #last: { readonly run: unknown; readonly observed: Fn } | undefined;

  constructor(tool: object) {
    const known = this;
    const own = Object.getOwnPropertyDescriptor(tool, 'run');
    this.#tool = tool;
    this.#own = own;
    this.#get = function (this: unknown) {
      return known.#observed(known.#read(this));
    };
    const isConstant = own !== undefined && own.set === undefined && own.writable !== true;
    this.#set = isConstant
      ? undefined
      : function (this: unknown, value) {
          known.#write(this, value);
        };
    this.#replace();
  }

  putBack(): void {
    if (Object.getOwnPropertyDescriptor(this.#tool, 'run')?.get !== this.#get) return;
    if (this.#own === undefined) Reflect.deleteProperty(this.#tool, 'run');
    else Object.defineProperty(this.#tool, 'run', this.#own);
  }

  #replace(): void {
    const enumerable = this.#own?.enumerable ?? false;
    const set = this.#set === undefined ? {} : { set: this.#set };
    Object.defineProperty(this.#tool, 'run', { get: this.#get, ...set, enumerable, configurable: true });
  }

  #read(receiver: unknown): unknown {
    const own = this.#own;
    if (own === undefined) return Reflect.get(Object.getPrototypeOf(this.#tool) as object, 'run', receiver);
    return own.get === undefined ? own.value : Reflect.apply(own.get, receiver, []);
  }

  #write(receiver: unknown, value: unknown): void {
    const data = { value, writable: true, enumerable: true, configurable: true };
    if (this.#own?.set !== undefined) Reflect.apply(this.#own.set, receiver, [value]);
    else if (receiver !== this.#tool) Object.defineProperty(receiver, 'run', data);
    else {
      this.#own = this.#own === undefined ? data : { ...this.#own, value };
      this.#replace();
    }
  }

  #observed(run: unknown): unknown {
    if (typeof run !== 'function') return run;
    if (this.#last?.run !== run) this.#last = { run, observed: observedRun(run as Fn, () => this.#loop()) };
    return this.#last.observed;
  }

  /** The one whose code this is. A call that starts while its reply is read runs where the program reads. */
  #loop(): AgentLoop | undefined {
    const loops = [...this.loops];
    return loops.find((loop) => loop.isCurrent) ?? (loops.length === 1 ? loops[0] : undefined);
  }
}

/** Only the runner gives a tool the call it is for: the program's own calls of it are no calls of the model. */
function observedRun(run: Fn, loopOf: () => AgentLoop | undefined): Fn {
  const observed: Fn = function (...args) {
    const call = () => Reflect.apply(run, this, args);
    const [input, context] = args;
    const { toolUse, toolUseBlock } = fieldsOf(context);
    const block = toolUse ?? toolUseBlock;
    const loop = block === undefined ? undefined : loopOf();
    if (loop === undefined) return call();
    const { id, name } = fieldsOf(block);
    return loop.tool(() => ({ name: textOf(name) ?? 'unknown', callId: textOf(id), args: input }), call);
  };
  Object.defineProperty(observed, 'name', { value: run.name, configurable: true });
  return observed;
}

/** Stands for a tool that cannot be changed: what is asked of it is asked of the tool itself. */
export function standIn(tool: object, loopOf: () => AgentLoop | undefined): object {
  return new Proxy(Object.create(Object.getPrototypeOf(tool) as object | null) as object, {
    get(_, key) {
      const value: unknown = Reflect.get(tool, key);
      if (typeof value !== 'function') return value;
      const own: Fn = (...args) => Reflect.apply(value, tool, args);
      return key === 'run' ? observedRun(own, loopOf) : own;
    },
    has: (_, key) => Reflect.has(tool, key),
    ownKeys: () => Reflect.ownKeys(tool),
    getOwnPropertyDescriptor(_, key) {
      const own = Reflect.getOwnPropertyDescriptor(tool, key);
      return own === undefined ? undefined : { ...own, configurable: true };
    },
  });
}

import type { AdapterTool, AdapterTurn } from '@hermes-observer/adapter';
import type { Run } from './run.js';
import type { ToolCall } from './tool-call.js';

/** Finds the run of a turn that code runs in, and the call of a tool. Kept as long as those are. */
export class RunStore {
  readonly #runs = new WeakMap<AdapterTurn, Run>();
  readonly #calls = new WeakMap<AdapterTool, ToolCall>();

  add(turn: AdapterTurn, run: Run): void {
    this.#runs.set(turn, run);
  }

  of(turn: AdapterTurn | undefined): Run | undefined {
    return turn === undefined ? undefined : this.#runs.get(turn);
  }

  /** The turn that new work belongs to, in code that runs for `turn`: the agent may have handed over since. */
  inCharge(turn: AdapterTurn | undefined): AdapterTurn | undefined {
    const known = turn === undefined ? undefined : (this.#runs.get(turn)?.current ?? turn);
    return known === undefined || known.isEnded ? undefined : known;
  }

  addCall(call: ToolCall): void {
    this.#calls.set(call.tool, call);
  }

  callOf(tool: AdapterTool | undefined): ToolCall | undefined {
    return tool === undefined ? undefined : this.#calls.get(tool);
  }
}

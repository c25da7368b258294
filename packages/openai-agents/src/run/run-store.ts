import type { AdapterTool, AdapterTurn } from '@hermes-observer/adapter';
import type { Run } from './run.js';
import { ToolCall } from './tool-call.js';

/** Finds the run of a turn that code runs in, and the call of a tool. Kept as long as those are. */
export class RunStore {
  add(turn: AdapterTurn, run: Run): void {
    turn.owner = run;
  }

  of(turn: AdapterTurn | undefined): Run | undefined {
    const owner = turn?.owner as Partial<Run> | undefined;
    // A turn of another adapter, or of another copy of the SDK, belongs to no run here.
    return owner?.runs === this ? (owner as Run) : undefined;
  }

  /** The turn that new work belongs to, in code that runs for `turn`: the agent may have handed over since. */
  inCharge(turn: AdapterTurn | undefined): AdapterTurn | undefined {
    const known = turn === undefined ? undefined : (this.of(turn)?.current ?? turn);
    return known === undefined || known.isEnded ? undefined : known;
  }

  addCall(call: ToolCall): void {
    call.tool.owner = call;
  }

  callOf(tool: AdapterTool | undefined): ToolCall | undefined {
    return tool?.owner instanceof ToolCall ? tool.owner : undefined;
  }
}

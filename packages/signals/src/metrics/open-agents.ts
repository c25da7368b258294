/** What one turn or child agent did itself, so far. */
export interface AgentRun {
  readonly name: string | undefined;
  inferenceCalls: number;
  toolCalls: number;
}

/** More open spans than this are not followed: what hangs below the others is counted for no agent. */
const MOST_OPEN = 50_000;

/** Turns, child agents and tool calls that are open, by the ids of their spans: whose work hangs below them. */
export class OpenAgents {
  readonly #agents = new Map<string, AgentRun>();
  /** Of a tool call the agent that made it: calls of nested tools are that agent's too. */
  readonly #tools = new Map<string, AgentRun>();

  get size(): number {
    return this.#agents.size + this.#tools.size;
  }

  startAgent(spanId: string, name: string | undefined): void {
    if (this.size < MOST_OPEN) this.#agents.set(spanId, { name, inferenceCalls: 0, toolCalls: 0 });
  }

  startTool(spanId: string, parentId: string): void {
    const run = this.#agents.get(parentId) ?? this.#tools.get(parentId);
    if (run !== undefined && this.size < MOST_OPEN) this.#tools.set(spanId, run);
  }

  /** The agent whose span this is; not that of a tool call. */
  agent(spanId: string): AgentRun | undefined {
    return this.#agents.get(spanId);
  }

  endAgent(spanId: string): AgentRun | undefined {
    const run = this.#agents.get(spanId);
    this.#agents.delete(spanId);
    return run;
  }

  endTool(spanId: string): AgentRun | undefined {
    const run = this.#tools.get(spanId);
    this.#tools.delete(spanId);
    return run;
  }
}

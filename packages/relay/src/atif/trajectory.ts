/** ATIF v1.7 as it is written. Nothing else may stand at any level, but inside `extra`. */
export const ATIF_VERSION = 'ATIF-v1.7';

export type Extra = Readonly<Record<string, unknown>>;

export interface Trajectory {
  readonly schema_version: typeof ATIF_VERSION;
  /** Conversation; may be the same in several documents. */
  readonly session_id?: string;
  /** This document. */
  readonly trajectory_id: string;
  readonly agent: { readonly name: string; readonly version: string; readonly model_name?: string };
  /** One or more. */
  readonly steps: readonly Step[];
  readonly notes?: string;
  readonly final_metrics: FinalMetrics;
  /** File in the same folder that goes on. */
  readonly continued_trajectory_ref?: string;
  readonly extra: Extra;
  readonly subagent_trajectories?: readonly Trajectory[];
}

export interface Step {
  /** From 1, without gaps. */
  readonly step_id: number;
  readonly timestamp: string;
  readonly source: 'system' | 'user' | 'agent';
  readonly message: string;
  readonly model_name?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
  readonly observation?: { readonly results: readonly Result[] };
  readonly metrics?: Metrics;
  /** 1: one request; 0: no model was asked. */
  readonly llm_call_count?: number;
  readonly extra?: Extra;
}

export interface ToolCall {
  readonly tool_call_id: string;
  readonly function_name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly extra?: Extra;
}

export interface Result {
  /** A tool call of the same step. */
  readonly source_call_id?: string;
  readonly content?: string;
  readonly subagent_trajectory_ref?: readonly SubagentRef[];
  readonly extra?: Extra;
}

/** Without a path it is embedded in `subagent_trajectories` of the same document. */
export interface SubagentRef {
  readonly trajectory_id: string;
  readonly session_id?: string;
  readonly trajectory_path?: string;
}

export interface Metrics {
  /** Cache included. */
  readonly prompt_tokens?: number;
  /** Reasoning included. */
  readonly completion_tokens?: number;
  /** Read from a cache. */
  readonly cached_tokens?: number;
  readonly cost_usd?: number;
  readonly extra?: Extra;
}

export interface FinalMetrics {
  readonly total_prompt_tokens?: number;
  readonly total_completion_tokens?: number;
  readonly total_cached_tokens?: number;
  readonly total_cost_usd?: number;
  readonly total_steps: number;
  readonly extra?: Extra;
}

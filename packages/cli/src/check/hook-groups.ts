/** What hooks tell of, as a person would call it. */
export interface HookGroup {
  readonly name: string;
  /** Whether spans are made of it. Of the others an agent may tell for ever, or never, and traces are the same. */
  readonly hasSpans: boolean;
  readonly hooks: readonly string[];
}

/** Without these a turn has no span, no requests, or no end. */
export const NEEDED_HOOKS: readonly string[] = [
  'pre_llm_call',
  'pre_api_request',
  'post_api_request',
  'on_session_end',
];

/** A start, and the hook that ends it. */
export const PAIRS: readonly (readonly [start: string, end: string])[] = [
  ['pre_tool_call', 'post_tool_call'],
  ['subagent_start', 'subagent_stop'],
  ['pre_approval_request', 'post_approval_response'],
  ['pre_auxiliary_call', 'post_auxiliary_call'],
];

const spans = (name: string, ...hooks: string[]): HookGroup => ({ name, hasSpans: true, hooks });
const none = (name: string, ...hooks: string[]): HookGroup => ({ name, hasSpans: false, hooks });

/** All hooks of the contract that an agent calls. */
export const HOOK_GROUPS: readonly HookGroup[] = [
  spans('turns', 'pre_llm_call', 'post_llm_call', 'on_session_end'),
  spans('model requests', 'pre_api_request', 'post_api_request'),
  spans('tools', 'pre_tool_call', 'post_tool_call'),
  spans('failed requests', 'api_request_error'),
  spans('side requests', 'pre_auxiliary_call', 'post_auxiliary_call'),
  spans('subagents', 'subagent_start', 'subagent_stop'),
  spans('approvals', 'pre_approval_request', 'post_approval_response'),
  spans('questions to people', 'on_human_input_request', 'on_human_input_resolved'),
  none('sessions', 'on_session_start', 'on_session_finalize', 'on_session_reset'),
  none(
    'changes by plugins',
    'transform_tool_result',
    'transform_terminal_output',
    'transform_llm_output',
    'transform_api_error_classification',
    'pre_verify',
  ),
  none(
    'gateways',
    'pre_gateway_dispatch',
    'post_gateway_admission',
    'gateway_platform_event',
    'agent_loop_stopped',
    'on_room_member_activity',
  ),
  none('commands and skills', 'pre_command', 'on_skill_lifecycle'),
  none('speech', 'pre_transcription', 'pre_tts_synthesis'),
  none('streams', 'on_stream_start', 'on_stream_delta', 'on_stream_end', 'on_interim_message'),
  none(
    'kanban',
    'kanban_task_claimed',
    'kanban_task_completed',
    'kanban_task_blocked',
    'on_kanban_worker_spawned',
    'on_kanban_worker_exited',
    'on_kanban_worker_stale_claim',
    'on_kanban_task_updated',
    'on_kanban_dispatch_tick',
  ),
];

const OTHER = 'others';

/** Hooks by the name of their group, in the order of the groups. */
export function grouped(hooks: readonly string[], hasSpans: boolean): Readonly<Record<string, readonly string[]>> {
  const groups = HOOK_GROUPS.filter((group) => group.hasSpans === hasSpans);
  const all = new Set(HOOK_GROUPS.flatMap((group) => group.hooks));
  const found = groups.map((group) => [group.name, group.hooks.filter((hook) => hooks.includes(hook))] as const);
  const others = [OTHER, hasSpans ? [] : hooks.filter((hook) => !all.has(hook))] as const;
  return Object.fromEntries([...found, others].filter(([, names]) => names.length > 0));
}

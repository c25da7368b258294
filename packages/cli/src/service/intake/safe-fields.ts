/**
 * Fields of each hook that hold no content: ids, names, numbers and words of programs. An allow-list, so that what nobody
 * thought of counts as content. Forwarders keep the same ones.
 */

const EVERYWHERE = names(
  'session_id task_id turn_id api_request_id tool_call_id telemetry_schema_version platform parent_session_id',
);

const REQUEST =
  'model provider api_mode base_url api_call_count retry_count parallel message_count tool_count approx_input_tokens ' +
  'request_char_count max_tokens started_at ended_at api_duration first_chunk_at context_length max_retries retryable';
const ANSWER = 'response_model finish_reason usage assistant_content_chars assistant_tool_call_count';
const AUXILIARY = `${REQUEST} streaming aux_task`;
const OUTCOME = 'duration_ms status result_status error_type';
const CHILD =
  'parent_turn_id parent_subagent_id parent_tool_call_id task_index child_session_id child_subagent_id child_role';
const QUESTION = 'session_key request_id request_digest decision_id pattern_key surface';
const STREAM = 'iteration model provider surface';
const TASK = 'run_id profile_name board assignee';
const HUMAN = 'request_id session_key kind';
const SESSION = 'reason old_session_id new_session_id';

const BY_HOOK: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  Object.entries({
    on_session_start: 'model',
    on_session_finalize: SESSION,
    on_session_reset: SESSION,
    pre_llm_call: 'model is_first_turn',
    post_llm_call: 'model',
    on_session_end: 'model completed failed interrupted turn_exit_reason reason',
    transform_llm_output: 'model',
    pre_verify: 'model coding attempt',
    pre_api_request: REQUEST,
    post_api_request: `${REQUEST} ${ANSWER}`,
    api_request_error: `${REQUEST} status_code reason error`,
    transform_api_error_classification:
      'model provider approx_tokens context_length num_messages status_code error_type error_code',
    pre_auxiliary_call: AUXILIARY,
    post_auxiliary_call: `${AUXILIARY} ${ANSWER} status_code error_type error`,
    pre_tool_call: 'tool_name',
    post_tool_call: `tool_name ${OUTCOME}`,
    transform_tool_result: `tool_name ${OUTCOME}`,
    transform_terminal_output: 'returncode env_type',
    subagent_start: CHILD,
    subagent_stop: `${CHILD} child_status duration_ms`,
    pre_approval_request: QUESTION,
    post_approval_response: `${QUESTION} choice decided_by approver_ref`,
    on_human_input_request: HUMAN,
    on_human_input_resolved: `${HUMAN} outcome`,
    on_stream_start: STREAM,
    on_stream_delta: `${STREAM} kind`,
    on_stream_end: `${STREAM} finished`,
    on_interim_message: `${STREAM} already_streamed`,
    post_gateway_admission: 'session_key',
    gateway_platform_event: 'event_type',
    agent_loop_stopped: 'session_key reason invalidation_reason',
    pre_command: 'session_key surface command alias_used',
    on_room_member_activity: 'room_id thread_id member_id execution_generation seq kind',
    on_skill_lifecycle: 'action skill_name provenance use_count reused reuse_after_patch',
    pre_transcription: 'model provider language source',
    pre_tts_synthesis: 'provider',
    kanban_task_claimed: TASK,
    kanban_task_completed: TASK,
    kanban_task_blocked: TASK,
    on_kanban_worker_spawned: `${TASK} worker_pid`,
    on_kanban_worker_exited: `${TASK} worker_pid exit_code exit_kind outcome retry_status`,
    on_kanban_worker_stale_claim: `${TASK} worker_pid heartbeat_stale retry_status`,
    on_kanban_task_updated: TASK,
    on_kanban_dispatch_tick: 'board profile_name dry_run outcome',
    observer_hello:
      'protocol capture pid host hermes_version python_version forwarder_version surface profile hooks problems policy policy_unreachable',
    observer_dropped: 'count reason',
    observer_closed: 'scope key reason',
    observer_policy_decision: 'gate outcome kind mode on_error evaluation version duration_ms decision_id',
    observer_evaluation: 'trace_id span_id response_id name score label error_type',
  }).map(([hook, text]) => [hook, new Set([...EVERYWHERE, ...names(text)])]),
);

/** Fields of a hook that may stay; of one that is not known, the ids alone. */
export function safeFields(hook: string): ReadonlySet<string> {
  return Object.hasOwn(BY_HOOK, hook) ? (BY_HOOK[hook] ?? EVERYWHERE) : EVERYWHERE;
}

/** Fields of the record around the payload. */
export const ENVELOPE: ReadonlySet<string> = new Set([
  'hook',
  'time_unix_nano',
  'seq',
  'producer',
  'payload',
  'profile',
  'trace_context',
]);

function names(text: string): Set<string> {
  return new Set(text.split(' '));
}

"""Names of the agent's hooks. An open set: an agent that does not know a name warns once and keeps it."""

HOOKS = (
    "on_session_start",
    "on_session_end",
    "on_session_finalize",
    "on_session_reset",
    "pre_llm_call",
    "post_llm_call",
    "pre_api_request",
    "post_api_request",
    "api_request_error",
    "pre_auxiliary_call",
    "post_auxiliary_call",
    "pre_tool_call",
    "post_tool_call",
    "transform_tool_result",
    "transform_terminal_output",
    "transform_llm_output",
    "transform_api_error_classification",
    "pre_verify",
    "subagent_start",
    "subagent_stop",
    "pre_approval_request",
    "post_approval_response",
    "on_human_input_request",
    "on_human_input_resolved",
    "pre_gateway_dispatch",
    "post_gateway_admission",
    "gateway_platform_event",
    "agent_loop_stopped",
    "pre_command",
    "on_skill_lifecycle",
    "pre_transcription",
    "pre_tts_synthesis",
    "on_room_member_activity",
    "kanban_task_claimed",
    "kanban_task_completed",
    "kanban_task_blocked",
    "on_kanban_worker_spawned",
    "on_kanban_worker_exited",
    "on_kanban_worker_stale_claim",
    "on_kanban_task_updated",
    "on_kanban_dispatch_tick",
)
"""Every hook that is registered by default."""

STREAM_HOOKS = ("on_stream_start", "on_stream_delta", "on_stream_end", "on_interim_message")
"""Registering these can make the agent stream where it would not, so they are asked for with `HERMES_OBSERVER_STREAM=1`."""

LAST_HOOKS = frozenset(
    {
        "on_session_end",
        "on_session_finalize",
        "subagent_stop",
        "agent_loop_stopped",
        "api_request_error",
        "kanban_task_completed",
        "kanban_task_blocked",
    }
)
"""After one of these a one-shot process may be gone at once, without running its exit handlers."""

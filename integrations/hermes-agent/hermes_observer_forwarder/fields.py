"""Which field of which hook stays when content must not: an allow-list, so a field nobody thought of is dropped.

A kind says what may stay of a field:

- `id`: a number, a truth value, null, or a text of at most 1,024 characters
- `name`: the same, but a text only if it can be the name of something (`words.name`); any other text becomes `_OTHER`
- `phrase`: the same, but of several words: the name of a tool, a rule or a role (`words.phrase`)
- `word`: the same, but a text only if a program chose it (`words.word`); any other text becomes `_OTHER`
- `exit`: an exit reason without free text
- `address`: scheme, host and port
- `usage`: its token counts
- `error`: its `type`, as a word; a text only tells that there was one
- `bytes`: not the field, but its size as `<field>_bytes`
- `count`: not the field, but its length as `<field>_count`
- `result`: its size as `result_bytes` and, on an error, its `result_status`
"""

USAGE = frozenset(
    {
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
    "request_count",
    "prompt_tokens",
    "total_tokens",
    }
)


def _ids(names: str) -> dict[str, str]:
    return {name: "id" for name in names.split()}


def _names(names: str) -> dict[str, str]:
    return {name: "name" for name in names.split()}


_EVERYWHERE = {
    **_ids("session_id task_id turn_id api_request_id tool_call_id"),
    **_names("telemetry_schema_version platform"),
}

_REQUEST = {
    **_names("model provider api_mode"),
    **_ids("api_call_count retry_count parallel"),
    **_ids("message_count tool_count approx_input_tokens request_char_count max_tokens"),
    **_ids("started_at ended_at api_duration first_chunk_at context_length max_retries retryable"),
    "base_url": "address",
}

_ANSWER = {
    **_names("response_model"),
    **_ids("assistant_content_chars assistant_tool_call_count"),
    "finish_reason": "word",
    "usage": "usage",
}

_CALL = {"tool_name": "phrase"}

_OUTCOME = {
    **_ids("duration_ms"),
    "status": "word",
    "result_status": "word",
    "error_type": "word",
    "result": "result",
    "error_message": "bytes",
}

_CHILD = {
    **_ids("parent_session_id parent_turn_id parent_subagent_id parent_tool_call_id task_index"),
    **_ids("child_session_id child_subagent_id"),
    "child_role": "phrase",
}

_QUESTION = {
    **_ids("session_key request_id request_digest"),
    **_names("surface"),
    "pattern_key": "phrase",
    "command": "bytes",
    "description": "bytes",
}

_STREAM = {**_ids("iteration"), **_names("model provider surface")}

_TASK = {**_ids("run_id"), **_names("profile_name board assignee")}

_HUMAN = {**_ids("request_id session_key"), **_names("kind"), "prompt": "bytes"}

_KEPT: dict[str, dict[str, str]] = {
    "on_session_start": _names("model"),
    "on_session_end": {
        **_ids("completed failed interrupted"),
        **_names("model"),
        "turn_exit_reason": "exit",
        "reason": "word",
    },
    "on_session_finalize": {**_ids("old_session_id new_session_id"), "reason": "word"},
    "on_session_reset": {**_ids("old_session_id new_session_id"), "reason": "word"},
    "pre_llm_call": {
        **_ids("is_first_turn parent_session_id"),
        **_names("model"),
        "user_message": "bytes",
        "conversation_history": "count",
    },
    "post_llm_call": {
        **_names("model"),
        "user_message": "bytes",
        "assistant_response": "bytes",
        "conversation_history": "count",
    },
    "pre_api_request": _REQUEST,
    "post_api_request": {**_REQUEST, **_ANSWER},
    "api_request_error": {**_REQUEST, "status_code": "word", "reason": "word", "error": "error"},
    "pre_auxiliary_call": {**_REQUEST, **_ids("streaming"), **_names("aux_task")},
    "post_auxiliary_call": {
        **_REQUEST,
        **_ANSWER,
        **_ids("streaming"), **_names("aux_task"),
        "status_code": "word",
        "error_type": "word",
        "error": "error",
    },
    "pre_tool_call": {**_CALL, "args": "bytes"},
    "post_tool_call": {**_CALL, **_OUTCOME},
    "transform_tool_result": {**_CALL, **_OUTCOME},
    "transform_terminal_output": {
        **_ids("returncode"),
        "env_type": "word",
        "command": "bytes",
        "output": "bytes",
    },
    "transform_llm_output": {**_names("model"), "response_text": "bytes"},
    "transform_api_error_classification": {
        **_names("model provider"),
        **_ids("approx_tokens context_length num_messages"),
        "status_code": "word",
        "error_type": "word",
        "error_code": "word",
    },
    "pre_verify": {
        **_names("model"),
        **_ids("coding attempt"),
        "final_response": "bytes",
        "changed_paths": "count",
    },
    "subagent_start": {**_CHILD, "child_goal": "bytes"},
    "subagent_stop": {
        **_CHILD,
        **_ids("duration_ms"),
        "child_status": "word",
        "child_summary": "bytes",
        "tool_call_history": "count",
    },
    "pre_approval_request": _QUESTION,
    "post_approval_response": {**_QUESTION, "choice": "word", "decided_by": "word"},
    "on_human_input_request": _HUMAN,
    "on_human_input_resolved": {**_HUMAN, "outcome": "word"},
    "on_stream_start": _STREAM,
    "on_stream_delta": {**_STREAM, "kind": "word", "delta": "bytes"},
    "on_stream_end": {**_STREAM, **_ids("finished"), "final_text": "bytes", "error": "bytes"},
    "on_interim_message": {**_STREAM, **_ids("already_streamed"), "text": "bytes"},
    "pre_gateway_dispatch": {},
    "post_gateway_admission": {**_ids("session_key"), "text": "bytes"},
    "gateway_platform_event": {"event_type": "word"},
    "agent_loop_stopped": {**_ids("session_key"), "reason": "word", "invalidation_reason": "word"},
    "pre_command": {
        **_ids("session_key"),
        "surface": "word",
        "command": "word",
        "alias_used": "word",
        "args_raw": "bytes",
    },
    "on_room_member_activity": {
        **_ids("room_id thread_id member_id execution_generation seq"),
        "kind": "word",
    },
    "on_skill_lifecycle": {
        **_ids("use_count reused reuse_after_patch"),
        "action": "word",
        "skill_name": "phrase",
        "provenance": "word",
    },
    "pre_transcription": {**_names("model"), "provider": "word", "language": "word", "source": "word"},
    "pre_tts_synthesis": {"provider": "word", "text": "bytes"},
    "kanban_task_claimed": _TASK,
    "kanban_task_completed": {**_TASK, "summary": "bytes"},
    "kanban_task_blocked": {**_TASK, "reason": "bytes"},
    "on_kanban_worker_spawned": {**_TASK, **_ids("worker_pid")},
    "on_kanban_worker_exited": {
        **_TASK,
        **_ids("worker_pid exit_code"),
        "exit_kind": "word",
        "outcome": "word",
        "retry_status": "word",
    },
    "on_kanban_worker_stale_claim": {**_TASK, **_ids("worker_pid heartbeat_stale"), "retry_status": "word"},
    "on_kanban_task_updated": {**_TASK, "changed_fields": "count"},
    "on_kanban_dispatch_tick": {**_names("board profile_name"), **_ids("dry_run"), "outcome": "word"},
}


def kept_fields(hook: str) -> dict[str, str]:
    """Field → kind for one hook. A hook without an entry keeps the ids alone."""
    return {**_EVERYWHERE, **_KEPT.get(hook, {})}


CONTENT: dict[str, tuple[str, ...]] = {
    "pre_api_request": (
        "user_message",
        "conversation_history",
        "request_messages",
        "system_prompt",
        "middleware_trace",
        "request",
    ),
    "post_api_request": ("middleware_trace", "response", "assistant_message", "moa_references"),
    "api_request_error": ("request",),
    "pre_auxiliary_call": ("request_messages", "system_prompt", "request"),
    "post_auxiliary_call": ("response",),
    "pre_tool_call": ("middleware_trace",),
    "post_tool_call": ("middleware_trace", "args"),
    "transform_tool_result": ("args",),
    "pre_llm_call": ("sender_id",),
    "pre_approval_request": ("pattern_keys",),
    "post_approval_response": ("pattern_keys",),
}
"""What else agents send, so that it is out of the way at once. Only for speed: what is on no list is dropped as well."""

NEVER = frozenset(
    {
        "conversation_history",
        "request_messages",
        "assistant_message",
        "event",
        "gateway",
        "session_store",
    }
)
"""Left out in every mode: copies of what `request` and `response` hold, and live objects of the agent."""

FRESH = frozenset({"request", "response", "usage"})
"""Made by the agent for this one call, so they are kept as they are: nothing changes them later."""

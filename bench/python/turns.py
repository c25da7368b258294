"""One turn of an agent as hook calls: 22 of them, with the sizes real agents have. Payloads are fresh for each call."""

import copy
import json
import time

_WORDS = "the agent reads a file then writes the result into a table while the user waits for an answer".split()


def text(length):
    out = []
    size = 0
    while size < length:
        word = _WORDS[len(out) % len(_WORDS)]
        out.append(word)
        size += len(word) + 1
    return " ".join(out)[:length]


ARGS = {"path": "src/module.py", "start": 10, "end": 120, "pattern": text(180), "options": {"recursive": True, "limit": 50}}
RESULT = json.dumps({"output": text(3900), "exit_code": 0, "error": None})
PROMPT = text(4000)
TOOLS = [
    {"type": "function", "function": {"name": f"tool_{i}", "description": text(200), "parameters": {"type": "object"}}}
    for i in range(20)
]
MESSAGES = [
    {"role": role, "content": text(length)}
    for _ in range(25)
    for role, length in (("user", 400), ("assistant", 700), ("tool", 1500), ("assistant", 500))
]
USAGE = {
    "input_tokens": 1200,
    "output_tokens": 340,
    "cache_read_tokens": 8000,
    "cache_write_tokens": 100,
    "reasoning_tokens": 60,
    "request_count": 1,
    "prompt_tokens": 9300,
    "total_tokens": 9640,
}


def history():
    return [dict(message) for message in MESSAGES]


def body():
    """About 50 KB as JSON."""
    kept, size = [], 0
    for message in history():
        size += len(message["content"]) + 40
        if size > 43_000:
            break
        kept.append(message)
    return {"model": "gpt-5", "messages": kept, "tools": [dict(tool) for tool in TOOLS], "stream": True}


LARGE = {
    "100,000 texts": lambda: {"items": [f"word {i}" for i in range(100_000)]},
    "1,000,000 numbers": lambda: {"items": list(range(1_000_000))},
    "100,000 objects": lambda: {"items": [{"a": i, "b": str(i)} for i in range(100_000)]},
    "a text of 5 MB": lambda: {"content": "x" * 5_000_000},
}
"""Arguments of tools that are larger than models make them."""


def large_call(number, args):
    ids = {"session_id": "l", "task_id": "l", "turn_id": f"l:l:{number:08x}", "platform": "cli"}
    return "pre_tool_call", {**ids, "tool_name": "write", "tool_call_id": f"call_{number}", "args": args, "middleware_trace": []}


class Answer:
    """The live object that agents pass along."""

    def __init__(self, content):
        self.content = content
        self.tool_calls = None


def turn(session, number, first=False, ended=True):
    """Yields (hook, arguments)."""
    mark = {"telemetry_schema_version": "hermes.observer.v1"}
    ids = {"session_id": session, "task_id": session, "turn_id": f"{session}:{session}:{number:08x}", "platform": "cli"}
    common = {**ids, **mark, "model": "gpt-5"}
    if first:
        yield "on_session_start", {"session_id": session, "model": "gpt-5", "platform": "cli", **mark}
    yield (
        "pre_llm_call",
        {
            **common,
            "user_message": text(400),
            "conversation_history": history(),
            "is_first_turn": first,
            "parent_session_id": "",
            "sender_id": "",
        },
    )
    for call in (1, 2, 3):
        names = ("read_file", "terminal", "search") if call < 3 else ()
        yield from _request(common, call, names)
        for index, name in enumerate(names):
            tool = {
                **ids,
                **mark,
                "tool_name": name,
                "tool_call_id": f"call_{call}_{index}_{number}",
                "api_request_id": f"{ids['turn_id']}:api:{call}",
                "middleware_trace": [],
            }
            yield "pre_tool_call", {**tool, "args": copy.deepcopy(ARGS)}
            done = {"result": RESULT[:-1] + "}", "duration_ms": 12, "status": "ok", "error_type": None, "error_message": None}
            yield "post_tool_call", {**tool, "args": copy.deepcopy(ARGS), **done}
    if ended:
        yield "post_llm_call", {**common, "user_message": "hi", "assistant_response": text(500), "conversation_history": history()}
        yield (
            "on_session_end",
            {**common, "completed": True, "failed": False, "interrupted": False, "turn_exit_reason": "text_response(finish_reason=stop)"},
        )


def _request(common, call, names):
    now = time.time()
    request = {
        **common,
        "api_request_id": f"{common['turn_id']}:api:{call}",
        "provider": "openai",
        "base_url": "https://api.example.invalid/v1",
        "api_mode": "chat_completions",
        "api_call_count": call,
        "middleware_trace": [],
        "started_at": now,
    }
    messages = history()
    yield (
        "pre_api_request",
        {
            **request,
            "user_message": "hi",
            "conversation_history": messages,
            "request_messages": list(messages),
            "retry_count": 0,
            "system_prompt": PROMPT,
            "message_count": len(messages),
            "tool_count": 20,
            "approx_input_tokens": 9000,
            "request_char_count": 50_000,
            "max_tokens": 8192,
            "request": {"method": "POST", "body": body()},
        },
    )
    content = text(120 if names else 500)
    calls = [{"id": f"call_{call}_{i}", "name": name, "arguments": json.dumps(ARGS)} for i, name in enumerate(names)]
    reason = "tool_calls" if names else "stop"
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    yield (
        "post_api_request",
        {
            **request,
            "api_duration": 0.5,
            "ended_at": now + 0.5,
            "first_chunk_at": now + 0.1,
            "finish_reason": reason,
            "message_count": len(messages),
            "response_model": "gpt-5-2026-05",
            "usage": dict(USAGE),
            "response": {"model": "gpt-5", "finish_reason": reason, "usage": dict(USAGE), "assistant_message": message},
            "assistant_message": Answer(content),
            "assistant_content_chars": len(content),
            "assistant_tool_call_count": len(names),
            "moa_references": None,
        },
    )

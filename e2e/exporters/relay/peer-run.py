"""A scripted run through NeMo Relay itself: an agent that lists files and delegates, and a child that answers.

peer-run.py FOLDER writes relay.jsonl (ATOF) and relay.json (ATIF) there. `scripted-run.mjs` is the same run through hooks.
"""

import asyncio
import json
import sys
import time

import nemo_relay as relay

MODEL = "m-1"
folder = sys.argv[1]

config = relay.AtofExporterConfig()
config.output_directory = folder
config.filename = "relay.jsonl"
config.mode = relay.AtofExporterMode.Overwrite
atof = relay.AtofExporter(config)
atof.register("atof")
atif = relay.AtifExporter("s-1", "hermes", "unknown", model_name=MODEL)
atif.register("atif")


def pause():
    """Relay tells by times what was inside what: nothing may fall into the same millisecond."""
    time.sleep(0.005)


def request(messages, content, calls=(), usage=(10, 5, 4)):
    """One model request, as a call and its end."""
    pause()
    body = relay.LLMRequest({}, {"messages": messages, "model": MODEL})
    handle = relay.llm.call("openai.chat_completions", body, model_name=MODEL)
    message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for id, name, args in calls
        ]
    prompt, completion, cached = usage
    pause()
    relay.llm.call_end(
        handle,
        {
            "object": "chat.completion",
            "model": MODEL,
            "choices": [{"index": 0, "finish_reason": "tool_calls" if calls else "stop", "message": message}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
                "prompt_tokens_details": {"cached_tokens": cached},
            },
        },
    )


async def list_files(_args):
    pause()
    return relay.ToolExecutionResult({"files": ["notes.txt"]})


async def fails(_args):
    pause()
    raise RuntimeError("no such file")


async def delegate(_args):
    pause()
    with relay.scope.scope("leaf", relay.ScopeType.Agent, metadata={"session_id": "s-2"}):
        request([{"role": "user", "content": "Count the lines."}], "Three lines.", usage=(7, 3, 0))
        pause()
    pause()
    return relay.ToolExecutionResult("Three lines.")


async def run():
    user = {"role": "user", "content": "What is in the notes?"}
    calls = [
        ("c-1", "list_files", {"path": "."}),
        ("c-2", "delegate_task", {"goal": "Count the lines."}),
        ("c-3", "read_file", {"path": "gone.txt"}),
    ]
    with relay.scope.scope("hermes", relay.ScopeType.Agent, metadata={"session_id": "s-1"}):
        request([user], None, calls)
        pause()
        await relay.tools.execute("list_files", calls[0][2], list_files, tool_call_id="c-1")
        pause()
        await relay.tools.execute("delegate_task", calls[1][2], delegate, tool_call_id="c-2")
        pause()
        try:
            await relay.tools.execute("read_file", calls[2][2], fails, tool_call_id="c-3")
        except RuntimeError:
            pass
        asked = [{"id": id, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}} for id, n, a in calls]
        history = [user, {"role": "assistant", "content": None, "tool_calls": asked}] + [
            {"role": "tool", "tool_call_id": id, "content": "…"} for id, _, _ in calls
        ]
        request(history, "Three lines.", usage=(30, 4, 20))


asyncio.run(run())
relay.subscribers.flush()
atof.force_flush()
atof.deregister("atof")
atof.shutdown()
with open(f"{folder}/relay.json", "w") as file:
    file.write(atif.export_json())

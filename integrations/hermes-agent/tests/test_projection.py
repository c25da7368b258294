"""What is kept of each hook, by capture mode."""

import json
import os
import subprocess
import sys

import pytest
from doubles import PACKAGE_FOLDER

from project_recording import projected

from hermes_observer_forwarder.encode import encode_record, seq_of
from hermes_observer_forwarder.fields import kept_fields
from hermes_observer_forwarder.hooks import HOOKS, STREAM_HOOKS
from hermes_observer_forwarder.result_status import result_status
from hermes_observer_forwarder.sizes import text_bytes, value_bytes
from hermes_observer_forwarder.words import address, exit_reason, word

ALL = HOOKS + STREAM_HOOKS


def project(hook, arguments, capture="none"):
    return projected(hook, dict(arguments), capture)


@pytest.mark.parametrize("hook", ALL)
def test_a_field_that_is_not_on_the_list_is_dropped(hook):
    assert project(hook, {"made_up": "secret", "result_text": 1}) == {}


@pytest.mark.parametrize("hook", ALL)
def test_no_text_gets_through_but_ids_and_words(hook):
    text = "my secret is hunter2"
    for name, kind in kept_fields(hook).items():
        kept = project(hook, {name: text, "status": "error"})
        kept.pop("status", None)
        if kind == "id":
            assert kept == {name: text}
            assert project(hook, {name: "x" * 1025}) == {}
            assert project(hook, {name: {"nested": text}}) == {}
            assert project(hook, {name: [text]}) == {}
        elif kind == "phrase":
            assert kept == {name: text}
            for given in ("x" * 129, "two\nlines", '{"a": 1}', "the `rm` command"):
                assert project(hook, {name: given}) == {name: "_OTHER"}
        else:
            assert text not in json.dumps(kept)


@pytest.mark.parametrize("hook", ALL)
@pytest.mark.parametrize("value", [None, True, 7, 1.5, "", [], {}, object(), b"x"])
def test_any_type_in_any_field(hook, value):
    payload = project(hook, dict.fromkeys(kept_fields(hook), value))
    encode_record(1, "p", hook, 1, None, payload)


def test_every_known_hook_of_the_contract_is_registered():
    path = os.path.join(PACKAGE_FOLDER, "..", "..", "packages", "core", "src", "contract", "hook-map.ts")
    if not os.path.exists(path):
        pytest.skip("the contract is not beside this folder")
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("hookSchemas = {")[1].split("}")[0].splitlines()
    names = {line.split(":")[0].strip() for line in lines if ":" in line}
    assert {name for name in names if not name.startswith("observer_")} == set(ALL)


def test_every_hook_has_a_row():
    from hermes_observer_forwarder.fields import _KEPT

    assert set(_KEPT) == set(ALL)


def test_a_tool():
    payload = project(
        "post_tool_call",
        {
            "tool_name": "terminal",
            "args": {"command": "rm -rf secret"},
            "result": '{"status": "blocked", "error": "secret"}',
            "status": "error",
            "error_type": "tool_error",
            "error_message": "secret",
            "duration_ms": 12,
            "turn_id": "t",
            "tool_call_id": "call_1",
            "middleware_trace": [{"source": "secret"}],
        },
    )
    assert payload == {
        "tool_name": "terminal",
        "result_bytes": 40,
        "result_status": "blocked",
        "status": "error",
        "error_type": "tool_error",
        "error_message_bytes": 6,
        "duration_ms": 12,
        "turn_id": "t",
        "tool_call_id": "call_1",
    }


def test_arguments_are_sized_before_the_call():
    assert project("pre_tool_call", {"args": {"command": "rm -rf secret"}}) == {"args_bytes": 27}


def test_a_failed_request():
    payload = project(
        "api_request_error",
        {"error": {"type": "RateLimitError", "message": "secret"}, "status_code": 429, "reason": "rate_limit", "request": {}},
    )
    assert payload == {"error": {"type": "RateLimitError"}, "status_code": 429, "reason": "rate_limit"}
    assert project("api_request_error", {"error": {"type": "It was secret"}}) == {"error": {"type": "_OTHER"}}


def test_a_failed_auxiliary_call_stays_failed():
    assert project("post_auxiliary_call", {"error": "Boom: secret", "error_type": "Boom"}) == {"error_type": "Boom"}
    assert project("post_auxiliary_call", {"error": "secret"}) == {"error_type": "_OTHER"}
    assert project("post_auxiliary_call", {"error": None, "error_type": None}) == {"error_type": None}


def test_usage_is_counts_alone():
    usage = {"prompt_tokens": 5, "output_tokens": 2, "made_up": 3, "input_tokens": "secret", "total_tokens": None}
    assert project("post_api_request", {"usage": usage}) == {"usage": {"prompt_tokens": 5, "output_tokens": 2}}


@pytest.mark.parametrize(
    ("reason", "kept"),
    [
        ("text_response(finish_reason=stop)", "text_response(finish_reason=stop)"),
        ("max_iterations_reached(12/12)", "max_iterations_reached(12/12)"),
        ("interrupted_by_system(gateway_shutdown)", "interrupted_by_system(gateway_shutdown)"),
        ("interrupted_by_user(stop it please)", "interrupted_by_user"),
        ("local_processing_error(KeyError: secret)", "local_processing_error"),
        ("interrupted_by_system(A text)", "interrupted_by_system"),
        ("unknown", "unknown"),
        ("a whole sentence", None),
        ("a whole (x)", None),
        ("open(", "open"),
        ("interrupted_by_system(x)y", "interrupted_by_system"),
        ("a(finish_reason=stop\n)", "a"),
        ("", None),
    ],
)
def test_exit_reasons(reason, kept):
    assert exit_reason(reason) == kept
    assert exit_reason(reason) == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://api.example.com/v1?key=1", "https://api.example.com"),
        ("http://user:secret@127.0.0.1:8080/v1", "http://127.0.0.1:8080"),
        ("http://a@b:secret@host/", "http://host"),
        ("http://[::1]:11434/v1", "http://[::1]:11434"),
        ("moa://local", "moa://local"),
        ("not an address", None),
        ("https://host\\@secret", "https://host"),
        ("https://host#frag", "https://host"),
    ],
)
def test_addresses(given, kept):
    assert address(given) == kept
    assert project("pre_api_request", {"base_url": given}, "full") == {"base_url": kept}


def test_words():
    assert word("tool_error") == "tool_error"
    assert word("a sentence") == "_OTHER"
    assert word("é") == "_OTHER"
    assert word("") == ""
    assert word("x" * 129) == "_OTHER"


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ('{"status": "blocked"}', "blocked"),
        ('{"status": "cancelled", "x": [1]}', "cancelled"),
        ('{"status":"timeout"}', "timeout"),
        ('{"status": "ok", "note": "blocked"}', None),
        ('{"inner": {"status": "blocked"}}', None),
        ('["status", "blocked"]', None),
        ('{"status": "blocked"', None),
        ({"status": "blocked"}, "blocked"),
        ({"status": ["blocked"]}, None),
        ('{"status": "blocked", "x": "' + "x" * 262_144 + '"}', None),
        ("[" * 100_000 + '"status" "blocked"', None),
        (None, None),
    ],
)
def test_result_status(result, status):
    assert result_status(result) == status


def test_sizes():
    assert text_bytes("abc") == 3
    assert text_bytes("äöü") == 6
    assert text_bytes("\ud800") == 1
    assert text_bytes("ä" * 1_000_000) == 2_000_000
    assert abs(value_bytes({"command": "echo", "n": [1, 2]}) - len('{"command":"echo","n":[1,2]}')) < 12
    assert value_bytes(object()) is None


def test_full_keeps_content_and_drops_what_lives():
    arguments = {
        "user_message": ["part"],
        "conversation_history": [1, 2],
        "request_messages": [1],
        "assistant_message": object(),
        "request": {"body": {}},
        "agent": object(),
        "status_code": 3,
    }
    payload = json.loads(encode_record(1, "p", "x", 1, None, project("pre_api_request", arguments, "full")))["payload"]
    assert payload == {
        "user_message": ["part"],
        "conversation_history_count": 2,
        "request_messages_count": 1,
        "request": {"body": {}},
        "agent": "<object>",
        "status_code": 3,
    }


def test_redacted_bounds_texts_and_saves_the_status():
    result = '{"status": "blocked", "x": "' + "x" * 50_000 + '"}'
    payload = project("post_tool_call", {"result": result, "status": "error"}, "redacted")
    assert len(payload["result"]) < 33_000
    assert payload["result"].endswith("chars]")
    assert payload["result_status"] == "blocked"


def test_lines():
    line = encode_record(7, "ab", "pre_llm_call", 123, "a \"profile\"", {"x": "\ud83d\ude00 \ud800\n"})
    record = json.loads(line)
    assert record == {
        "seq": 7,
        "producer": "ab",
        "hook": "pre_llm_call",
        "time_unix_nano": "123",
        "profile": 'a "profile"',
        "payload": {"x": "\U0001f600 \ufffd\n"},
    }
    assert line.count(b"\n") == 1
    assert seq_of(line) == 7
    assert seq_of(b"garbage\n") == 0


def test_the_tables_of_the_readme_are_in_step():
    tool = os.path.join(PACKAGE_FOLDER, "tools", "readme_tables.py")
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_versions_are_in_step():
    from hermes_observer_forwarder import __version__

    for name in ("pyproject.toml", "hermes_observer_forwarder/plugin.yaml"):
        with open(os.path.join(PACKAGE_FOLDER, name), encoding="utf-8") as file:
            assert any(line.replace('"', "").replace(" = ", ": ").strip() == f"version: {__version__}" for line in file)


def test_only_the_standard_library_is_imported():
    source = "import sys; sys.path.insert(0, sys.argv[1]); import hermes_observer_forwarder"
    source += "; print([n for n in sys.modules if not n.startswith('_') and n.split('.')[0] not in sys.stdlib_module_names])"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", source, PACKAGE_FOLDER], capture_output=True, text=True)
    found = json.loads(done.stdout.replace("'", '"'))
    assert all(name.startswith("hermes_observer_forwarder") for name in found)

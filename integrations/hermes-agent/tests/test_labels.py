"""Places for words and names hide no secret, whatever the capture mode may be."""

import json
import os
import re
import subprocess
import sys

import pytest
from doubles import PACKAGE_FOLDER, wait_for
from project_recording import projected

from hermes_observer_forwarder import words
from hermes_observer_forwarder.encode import encode_record
from hermes_observer_forwarder.fields import kept_fields
from hermes_observer_forwarder.hooks import HOOKS, STREAM_HOOKS
from hermes_observer_forwarder.key_prefixes import KEYS

ALL = HOOKS + STREAM_HOOKS

SECRETS = {
    "an API key": (f"sk-ant-{'a1B2' * 8}", "a1B2a1B2"),
    "a bearer token": (f"Bearer {'q7w8e9' * 5}", "q7w8e9q7w8e9"),
    "an e-mail address": ("eve.adams@mail.example", "eve.adams"),
    "the id of an AWS key": (f"AKIA{'Q3Z7' * 4}", "Q3Z7Q3Z7"),
}
"""Each with the part that may not be seen. None is a real one."""

LABELS = ("name", "phrase", "word", "exit")


def line_of(hook, arguments, capture):
    return encode_record(1, "p", hook, 1, words.label("p", capture), projected(hook, arguments, capture)).decode()


@pytest.mark.parametrize("hook", ALL)
@pytest.mark.parametrize("secret", SECRETS)
def test_no_secret_in_any_label_of_any_hook_comes_out(hook, secret):
    text, part = SECRETS[secret]
    kinds = kept_fields(hook)
    labels = [name for name, kind in kinds.items() if kind in LABELS]
    assert labels
    for around in ("{}", "of_{}", "{}_x", "a {} b", "error({})"):
        given = around.format(text)
        arguments = {**dict.fromkeys(labels, given), "status": given, "made_up": given}
        content = {name: given for name in kinds if name not in arguments and not name.endswith("_id")}
        ids = [name for name, kind in kinds.items() if kind == "id"]
        none = {**arguments, **{name: value for name, value in content.items() if name not in ids}}
        assert part not in line_of(hook, none, "none")
        assert part not in line_of(hook, dict.fromkeys(labels, given), "redacted")
    assert part in line_of(hook, dict.fromkeys(labels, text), "full")


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("capture", ["none", "redacted"])
def test_no_secret_in_a_profile_or_hello_comes_out(secret, capture, monkeypatch, tmp_path, plugged):
    text, part = SECRETS[secret]
    target = tmp_path / "out.ndjson"
    monkeypatch.setenv("HERMES_OBSERVER_FILE", str(target))
    monkeypatch.setenv("HERMES_OBSERVER_CAPTURE", capture)
    monkeypatch.setenv("HERMES_OBSERVER_SURFACE", text)
    monkeypatch.setenv("HERMES_OBSERVER_QUEUE_RECORDS", text)
    context = plugged(profile=text)
    context.call("on_session_start", session_id="s", model=text, platform=text)
    context.call("pre_approval_request", session_id="s", pattern_key=text, surface=text, pattern_keys=[])
    assert wait_for(lambda: target.exists() and target.read_text().count("\n") == 3)
    lines = target.read_text()
    hooks = [json.loads(line)["hook"] for line in lines.splitlines()]
    assert hooks == ["observer_hello", "on_session_start", "pre_approval_request"]
    assert part not in lines


NAMES = [
    "default",
    "gpt-5",
    "claude-opus-4.5",
    "anthropic/claude-opus-4.5",
    "claude-3-5-sonnet-v2@20241022",
    "@cf/meta/llama-3.1-8b-instruct",
    "accounts/fireworks/models/llama-v3p1-405b-instruct",
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "mcp__github__create_pull_request",
    "transport:telegram",
    "chat_completions",
    "hermes.observer.v1",
    "メイン",
]
PHRASES = ["recursive delete (flags after operands)", "pipe remote content to PowerShell (iwr | iex)", "Triage agent", "token: of the user"]
SECRET = [
    "password=hunter2hunter2",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "Zx81kQm4" * 4,
    "https://me:hunter2@host/",
    "4111 1111 1111 1111",
    "123-45-6789",
    "+49 151 23456789",
    "GB82 WEST 1234 5698 7654 32",
    "eyJhbGciOi.eyJzdWIiOi.SflKxwRJSM",
]


@pytest.mark.parametrize("text", NAMES)
def test_a_name_stays(text):
    assert words.name(text) == words.phrase(text) == words.masked(text) == text


@pytest.mark.parametrize("text", PHRASES)
def test_a_phrase_stays_where_it_may_be_one(text):
    assert words.phrase(text) == words.masked(text) == text
    assert words.name(text) == "_OTHER"


@pytest.mark.parametrize("text", SECRET)
def test_what_looks_like_a_secret_does_not(text):
    for rule in (words.word, words.name, words.phrase):
        assert rule(text) == "_OTHER"


def test_a_mask_keeps_what_is_around():
    assert words.masked("model of eve.adams@mail.example") == "model of [redacted:email]"
    assert words.masked("Bearer abcdef1234567890") == "Bearer [redacted:bearer]"


def test_answers_are_bounded():
    for i in range(5000):
        words.name(f"name-{i}")
        words.masked(f"name-{i}")
    assert len(words._names) <= 1024
    assert len(words._masked) <= 1024


def test_keys_are_those_of_the_service():
    tool = os.path.join(PACKAGE_FOLDER, "tools", "key_prefixes.py")
    if not os.path.exists(os.path.join(PACKAGE_FOLDER, "..", "..", "packages")):
        pytest.skip("the service is not beside this folder")
    done = subprocess.run([sys.executable, tool, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_key_is_found():
    for prefixes, body in KEYS:
        for prefix in prefixes.split():
            made = [prefix + re.sub(r"\(\?!.*?\)", "", example(body))]
            assert re.search(re.escape(prefix) + body, made[0]), (prefix, body, made)
            assert "[redacted" in words.masked(f"of {made[0]}"), made
            assert words.name(made[0]) == "_OTHER"


def example(body):
    """A text that the expression matches, of classes with counts and of literals."""
    made = ""
    for part, least in re.findall(r"(\[[^]]+\]|\\.|\(\?![^)]*\)|.)(?:\{(\d+)(?:,\d*)?\})?", body):
        if part.startswith("(?!"):
            continue
        letters = "7" if part in ("\\d", "[0-9a-f]") else "7" if part.startswith("[") else part.replace("\\", "")
        made += letters * int(least or 1)
    return made

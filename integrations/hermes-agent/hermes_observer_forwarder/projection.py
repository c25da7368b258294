"""What a record keeps of a hook's arguments, by capture mode. Runs on the agent's threads: no loop over content.

- `none`: the fields that `fields.py` names, and what assembly needs of the others (a size, a status, a host)
- `redacted`: all content but histories and live objects, texts cut at 32,768 characters; the service masks it
- `full`: the same, texts cut at 1,048,576 characters
"""

from __future__ import annotations

import os
from collections.abc import Callable

from . import words
from .fields import FRESH, NEVER, USAGE, kept_fields
from .result_status import result_status
from .sizes import value_bytes
from .snapshot import size_of, snapshot

Projection = Callable[[dict], "tuple[dict, int]"]
"""Arguments of a hook → (payload, about its bytes)."""

CAPTURES = ("none", "redacted", "full")
LONGEST_ID = 1024
LONGEST_TEXT = {"redacted": 32_768, "full": 1_048_576}

_BASE = 400
_PLAIN = frozenset({int, float, bool, type(None)})


def projection(hook: str, capture: str) -> Projection:
    """The projection of one hook. Any capture but `redacted` and `full` counts as `none`."""
    return _with_content(capture) if capture in LONGEST_TEXT else _without_content(hook)


def _without_content(hook: str) -> Projection:
    rules = {name: None if kind == "id" else _KEEPERS[kind] for name, kind in kept_fields(hook).items()}
    rule_of = rules.get
    plain_types = _PLAIN

    def project(arguments: dict) -> tuple[dict, int]:
        payload: dict = {}
        size = _BASE
        for name, value in arguments.items():
            rule = rule_of(name, False)
            if rule is False:
                continue
            if rule is None:
                kind = type(value)
                if kind is str:
                    if len(value) <= LONGEST_ID:
                        payload[name] = value
                        size += len(value)
                elif kind in plain_types:
                    payload[name] = value
                else:
                    _keep_subclass(payload, name, value)
            elif value is not None:
                rule(payload, name, value, arguments)
            else:
                payload[name] = None
        return payload, size

    return project


def _keep_subclass(payload: dict, name: str, value: object) -> None:
    """Enums of the agent are texts and numbers of their own types."""
    if isinstance(value, str):
        text = str.__str__(value)
        if len(text) <= LONGEST_ID:
            payload[name] = text
    elif isinstance(value, int):
        payload[name] = int.__int__(value)
    elif isinstance(value, float):
        payload[name] = float.__float__(value)


def _keep_word(payload: dict, name: str, value: object, arguments: dict) -> None:
    if type(value) in _PLAIN:
        payload[name] = value
    elif isinstance(value, str):
        payload[name] = words.word(str.__str__(value))


def _keep_exit(payload: dict, name: str, value: object, arguments: dict) -> None:
    if isinstance(value, str):
        payload[name] = words.exit_reason(str.__str__(value))


def _keep_address(payload: dict, name: str, value: object, arguments: dict) -> None:
    if isinstance(value, str):
        payload[name] = words.address(str.__str__(value))


def _keep_usage(payload: dict, name: str, value: object, arguments: dict) -> None:
    if isinstance(value, dict):
        counts = {}
        for token in USAGE:
            count = dict.get(value, token)
            if type(count) is int or type(count) is float:
                counts[token] = count
        payload[name] = counts


def _keep_error(payload: dict, name: str, value: object, arguments: dict) -> None:
    if isinstance(value, dict):
        kind = dict.get(value, "type")
        payload[name] = {"type": words.word(str.__str__(kind))} if isinstance(kind, str) else {}
    elif isinstance(value, str) and str.__len__(value) > 0 and arguments.get("error_type") is None:
        # A text, which is content. That there was an error is not.
        payload["error_type"] = "_OTHER"


def _keep_bytes(payload: dict, name: str, value: object, arguments: dict) -> None:
    size = value_bytes(value)
    if size is not None:
        payload[f"{name}_bytes"] = size


def _keep_count(payload: dict, name: str, value: object, arguments: dict) -> None:
    if isinstance(value, (list, tuple)):
        payload[f"{name}_count"] = len(value)


def _keep_result(payload: dict, name: str, value: object, arguments: dict) -> None:
    _keep_bytes(payload, name, value, arguments)
    _keep_status(payload, arguments)


_KEEPERS = {
    "word": _keep_word,
    "exit": _keep_exit,
    "address": _keep_address,
    "usage": _keep_usage,
    "error": _keep_error,
    "bytes": _keep_bytes,
    "count": _keep_count,
    "result": _keep_result,
}


def _exchange_bytes() -> int:
    """The most that the agent leaves in one sanitised request or response, in characters."""
    try:
        return max(1000, int(os.environ.get("HERMES_PLUGIN_PAYLOAD_MAX_CHARS", "")))
    except ValueError:
        return 50_000


def _with_content(capture: str) -> Projection:
    longest = LONGEST_TEXT[capture]
    exchange = _exchange_bytes()

    def project(arguments: dict) -> tuple[dict, int]:
        payload: dict = {}
        size = _BASE
        for name, value in arguments.items():
            kind = type(value)
            if kind is str:
                if len(value) > longest:
                    value = cut(value, longest)
                    if name == "result":
                        _keep_status(payload, arguments)
                payload[name] = value
                size += len(value)
            elif kind in _PLAIN:
                payload[name] = value
            elif name in NEVER:
                _keep_count(payload, name, value, arguments)
            elif name in FRESH:
                payload[name] = value
                size += 200 if name == "usage" else exchange
            else:
                payload[name] = value = snapshot(value)
                size += size_of(value)
        if "base_url" in payload:
            payload["base_url"] = words.address(payload["base_url"]) if type(payload["base_url"]) is str else None
        return payload, size

    return project


def _keep_status(payload: dict, arguments: dict) -> None:
    # Nothing of a foreign object is called, not even its comparison.
    said = arguments.get("status")
    if isinstance(said, str) and str.__eq__(said, "error"):
        status = result_status(arguments["result"])
        if status is not None:
            payload["result_status"] = status


def cut(text: str, longest: int) -> str:
    """A text of `longest` characters and a mark of how many are missing."""
    return f"{text[:longest]}...[truncated {len(text) - longest} chars]"

"""What a record keeps of a hook's arguments, by capture mode.

- `none`: the fields that `fields.py` names, and what assembly needs of the others (a size, a status, a host)
- `redacted`: all content but histories and live objects, texts cut at 32,768 characters; the service masks it
- `full`: the same, texts cut at 1,048,576 characters

`without_content` and `with_content` run on the agent's threads, before the queue. The one takes out content and unknown
fields, by name; the other copies what may change later. `reduction` runs on the sender's thread, before anything is encoded: what is left
is checked by type, length and kind.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from . import words
from .fields import CONTENT, FRESH, NEVER, USAGE, kept_fields
from .result_status import result_status
from .sizes import value_bytes
from .snapshot import FIXED, cut, snapshot

CAPTURES = ("none", "redacted", "full")
LONGEST_ID = 1024
LONGEST_TEXT = {"redacted": 32_768, "full": 1_048_576}

RECORD_BYTES = 1000
"""About the bytes of a record without content."""
_PLAIN = frozenset({int, float, bool, type(None)})


def keeps_content(capture: str) -> bool:
    """Any capture but `redacted` and `full` counts as `none`."""
    return capture in LONGEST_TEXT


def without_content(hook: str) -> Callable[[dict], dict]:
    """Takes out of the arguments, which are this call's own dict, what may not stay; what is left is the payload.

    Python code that looks at every argument costs several times the rest of a callback, so content is popped by name, and
    one set is asked whether a name is left that it does not know.
    """
    kinds = kept_fields(hook)
    kept_names = frozenset(_rules(hook))
    sized = tuple(name for name, kind in kinds.items() if kind in ("bytes", "result"))
    others = tuple((name, _KEEPERS[kind]) for name, kind in kinds.items() if kind in _KEEPERS)
    dropped = tuple(name for name in CONTENT.get(hook, ()) if name not in kinds)
    has_result = "result" in kinds.values()
    knows_all = kept_names.issuperset

    def project(arguments: dict) -> dict:
        pop, get = arguments.pop, arguments.get
        if has_result:
            _keep_status(arguments, arguments.get("result"))
        for name in dropped:
            pop(name, None)
        # What is derived takes the place of what it is derived from: a new name would make the dict grow, which costs more
        # than all the rest. The other half gives it its name.
        for name in sized:
            value = get(name)
            if type(value) is str and value.isascii():
                arguments[name] = len(value)
            elif value is not None:
                arguments[name] = value_bytes(value)
        for name, keep in others:
            value = get(name)
            if value is not None:
                keep(arguments, name, value)
        if knows_all(arguments):
            return arguments
        return {name: value for name, value in arguments.items() if name in kept_names}

    return project


Reduction = Callable[[dict], dict]
"""What the first half left of the arguments → payload."""


def reduction(hook: str, capture: str) -> Reduction:
    """The second half: ids are short, words are words. What the first half derived stays as it is."""
    if capture == "full":
        return _bounded
    if keeps_content(capture):
        return _masking(hook)
    rules = _rules(hook)

    def reduce(projected: dict) -> dict:
        payload: dict = {}
        for name, value in projected.items():
            rule, kept_as = rules[name]
            if rule is _keep_id and (type(value) in _PLAIN or (type(value) is str and len(value) <= LONGEST_ID)):
                payload[name] = value
            elif value is not None:
                rule(payload, kept_as, value)
            elif kept_as == name and rule is not _keep:
                payload[name] = None
        return payload

    return reduce


def _rules(hook: str) -> dict[str, tuple[Callable, str]]:
    """Name of a field after the projection → what the reduction does with it, and what it is called then."""
    rules: dict[str, tuple[Callable, str]] = {}
    for name, kind in kept_fields(hook).items():
        if kind in _REDUCERS:
            rules[name] = _REDUCERS[kind], name
        elif kind in _DERIVED:
            rules[name] = _keep_number, f"{name}_{_DERIVED[kind]}"
        else:  # The first half made it.
            rules[name] = _keep, name
    if "error" in rules:
        rules.setdefault("error_type", (_keep_word, "error_type"))
    return rules


_DERIVED = {"bytes": "bytes", "result": "bytes", "count": "count"}
"""Kinds of which only a number stays → the end of its name."""


def _bounded(projected: dict) -> dict:
    """With content an address has no credentials either, and what is an id by its name is no longer than a text. What the
    first half left of copies is their length.
    """
    for name in NEVER.intersection(projected):
        count = projected.pop(name)
        if count is not None:
            projected[f"{name}_count"] = count
    if "base_url" in projected:
        given = projected.pop("base_url")
        if given is not None:
            _keep_address(projected, "base_url", given)
    for name, value in projected.items():
        if type(value) is str and len(value) > LONGEST_TEXT["full"] + 64:
            projected[name] = cut(value, LONGEST_TEXT["full"])
    return projected


def _masking(hook: str) -> Reduction:
    """The same where content stays that the service masks: places for words and names hold no content, so that nothing is lost
    by masking them here, before they reach a socket or a file.
    """
    kinds = kept_fields(hook)
    labels = frozenset(name for name, kind in kinds.items() if kind in ("name", "phrase", "word", "exit"))

    def reduce(projected: dict) -> dict:
        payload = _bounded(projected)
        for name in labels.intersection(payload):
            value = payload[name]
            if isinstance(value, str):
                payload[name] = words.masked(str.__str__(value))
        return payload

    return reduce


def _keep(payload: dict, name: str, value: object) -> None:
    payload[name] = value


def _keep_number(payload: dict, name: str, value: object) -> None:
    if type(value) is int:
        payload[name] = value


def _keep_id(payload: dict, name: str, value: object) -> None:
    if type(value) is str or isinstance(value, str):
        text = str.__str__(value)
        if len(text) <= LONGEST_ID:
            payload[name] = text
    elif type(value) in _PLAIN:
        payload[name] = value
    elif isinstance(value, int):  # Enums of the agent are texts and numbers of their own types.
        payload[name] = int.__int__(value)
    elif isinstance(value, float):
        payload[name] = float.__float__(value)


def _keep_word(payload: dict, name: str, value: object) -> None:
    if isinstance(value, str):
        payload[name] = words.word(str.__str__(value))
    elif type(value) in _PLAIN:
        payload[name] = value


def _keep_name(payload: dict, name: str, value: object) -> None:
    if isinstance(value, str):
        payload[name] = words.name(str.__str__(value))
    else:
        _keep_id(payload, name, value)


def _keep_phrase(payload: dict, name: str, value: object) -> None:
    if isinstance(value, str):
        payload[name] = words.phrase(str.__str__(value))
    else:
        _keep_id(payload, name, value)


def _keep_address(payload: dict, name: str, value: object) -> None:
    if isinstance(value, str):
        payload[name] = words.address(str.__str__(value))


def _keep_usage(payload: dict, name: str, value: object) -> None:
    if isinstance(value, dict):
        counts = list(dict.items(value))
        payload[name] = {token: count for token, count in counts if token in USAGE and type(count) in (int, float)}


_REDUCERS = {"id": _keep_id, "name": _keep_name, "phrase": _keep_phrase, "word": _keep_word, "address": _keep_address, "usage": _keep_usage}
"""Kinds that pass the first half."""


def _keep_exit(arguments: dict, name: str, value: object) -> None:
    if isinstance(value, str):
        arguments[name] = words.exit_reason(str.__str__(value))
    else:
        del arguments[name]


def _keep_error(arguments: dict, name: str, value: object) -> None:
    if isinstance(value, dict):
        kind = dict.get(value, "type")
        arguments[name] = {"type": words.word(str.__str__(kind))} if isinstance(kind, str) else {}
        return
    del arguments[name]
    if isinstance(value, str) and str.__len__(value) > 0 and arguments.get("error_type") is None:
        # A text, which is content. That there was an error is not.
        arguments["error_type"] = "_OTHER"


def _keep_count(arguments: dict, name: str, value: object) -> None:
    if isinstance(value, (list, tuple)):
        arguments[name] = len(value)
    else:
        del arguments[name]


def _keep_status(arguments: dict, result: object) -> None:
    """Of a failed call alone. Nothing of a foreign object is called, not even its comparison."""
    said = arguments.get("status")
    if type(said) is str and said == "error":
        status = result_status(result)
        if status is not None:
            arguments["result_status"] = status


_KEEPERS = {"exit": _keep_exit, "error": _keep_error, "count": _keep_count}
"""Kinds that the first half replaces, beside sizes."""


def _exchange_bytes() -> int:
    """The most that the agent leaves in one sanitised request or response, in characters."""
    try:
        return max(1000, int(os.environ.get("HERMES_PLUGIN_PAYLOAD_MAX_CHARS", "")))
    except ValueError:
        return 50_000


def with_content(hook: str, capture: str) -> Callable[[dict], tuple[dict, int]]:
    """Leaves the arguments, this call's own dict, as they are but for what may change or is without bound. Gives about the
    bytes they hold on to as well.
    """
    longest = LONGEST_TEXT[capture]
    kinds = kept_fields(hook)
    content = [name for name, kind in kinds.items() if kind not in _REDUCERS] + list(CONTENT.get(hook, ()))
    dropped = tuple(name for name in content if name in NEVER)
    others = tuple(name for name in content if name not in NEVER and name not in FRESH)
    least = RECORD_BYTES + _exchange_bytes() * sum(name in FRESH for name in content)
    known = frozenset([*kinds, *content])
    knows_all = known.issuperset

    def project(arguments: dict) -> tuple[dict, int]:
        size = least
        get = arguments.get
        for name in dropped:
            value = get(name)
            if type(value) is list:
                arguments[name] = len(value)
            elif value is not None:
                del arguments[name]
        for name in others:
            value = get(name)
            if value is None:
                continue
            kind = type(value)
            if kind is str and len(value) <= longest:
                size += len(value)
            elif kind is list and not value:  # What most lists of the agent are.
                arguments[name] = ()
            elif kind is dict:
                arguments[name], taken = snapshot(value, longest)
                size += taken
            else:
                size += take(arguments, name, value)
        if not knows_all(arguments):
            for name in arguments.keys() - known:
                if name in NEVER:
                    del arguments[name]
                else:
                    size += take(arguments, name, arguments[name])
        return arguments, size

    def take(arguments: dict, name: str, value: object) -> int:
        kind = type(value)
        if kind is not str:
            if kind in FIXED:
                return 0
            arguments[name], size = snapshot(value, longest)
            return size
        if len(value) > longest:
            if name == "result":
                _keep_status(arguments, value)
            arguments[name] = value = cut(value, longest)
        return len(value)

    return project

"""What is taken of a value that its owner may still change, on the calling thread, in bounded time.

Texts and numbers cannot change and are kept as they are. Containers are copied up to a limit, so that a long list costs the
agent no more than a shorter one: neither here, nor while the sender's thread encodes it and holds the interpreter.
"""

from __future__ import annotations

from itertools import islice

from .plain import scalar

FIXED = frozenset({str, int, float, bool, type(None)})
CONTAINERS = (dict, list, tuple, set, frozenset)
MOST_ITEMS = 1000
"""Items of a whole value; of those that are left out the number is told."""
ITEM_BYTES = 16
"""About the bytes of an item beside its text."""
_DEEPEST = 32


def snapshot(value: object, most_chars: int) -> tuple[object, int]:
    """A value that nobody else can change, and about the bytes it holds on to. Texts share `most_chars` characters; objects
    that are no data become their type's name.
    """
    kind = type(value)
    if kind is dict or kind is list:
        left = [MOST_ITEMS, most_chars]
        try:
            copy = _small_dict(value, left, 0) if kind is dict else _small_list(value, left, 0)  # type: ignore[arg-type]
            return copy, ITEM_BYTES * (MOST_ITEMS + 1 - left[0]) + most_chars - left[1]
        except (Larger, TypeError, RuntimeError):
            pass
    left = [MOST_ITEMS, most_chars]
    copy = _copy(value, left, 0)
    return copy, ITEM_BYTES * (MOST_ITEMS + 1 - left[0]) + most_chars - left[1]


class Larger(Exception):
    """Not everything has room, so it has to be looked at more closely."""


def _small_dict(value: dict, left: list, depth: int) -> dict:
    """The copy of what most arguments are: some texts and numbers, little below them."""
    left[0] -= len(value)
    if left[0] < 0 or depth > 8:
        raise Larger
    copy = {}
    chars = 0
    for name, part in value.items():
        kind = type(part)
        if kind is str:
            chars += len(part)
        elif kind is dict:
            part = _small_dict(part, left, depth + 1)
        elif kind is list:
            part = _small_list(part, left, depth + 1)
        elif kind not in FIXED:
            raise Larger
        chars += len(name)
        copy[name] = part
    left[1] -= chars
    if left[1] < 0:
        raise Larger
    return copy


def _small_list(value: list, left: list, depth: int) -> list:
    left[0] -= len(value)
    if left[0] < 0 or depth > 8:
        raise Larger
    copy = value[:]
    for at, part in enumerate(copy):
        kind = type(part)
        if kind is str:
            left[1] -= len(part)
        elif kind is dict:
            copy[at] = _small_dict(part, left, depth + 1)
        elif kind is list:
            copy[at] = _small_list(part, left, depth + 1)
        elif kind not in FIXED:
            raise Larger
    if left[1] < 0:
        raise Larger
    return copy


def cut(text: str, longest: int) -> str:
    """The first `longest` characters, and how many are missing. The service knows this mark, and masks a word before it that
    may be half a key.
    """
    return f"{text[:longest]}…[+{len(text) - longest} chars]"


def _copy(value: object, left: list, depth: int) -> object:
    if not isinstance(value, CONTAINERS):
        value = scalar(value)
        if type(value) is not str or len(value) <= left[1]:
            return value
        return cut(value, left[1])
    if depth >= _DEEPEST:
        return "<depth limit>"
    if left[0] <= 0 and base_of(value).__len__(value) > 0:  # type: ignore[attr-defined]
        return "<more>"
    copy = _copy_dict if isinstance(value, dict) else _copy_items
    try:
        return copy(value, left, depth)
    except RuntimeError:  # Somebody else changed its size meanwhile. What is copied in one step is one state.
        kind = base_of(value)
        return copy(kind(value), left, depth) if kind.__len__(value) <= MOST_ITEMS else "<changing>"


def base_of(value: object) -> type:
    """The container that it is: methods of classes above that are not called."""
    kind = type(value)
    return kind if kind in CONTAINERS else next(kind for kind in CONTAINERS if isinstance(value, kind))


def _copy_dict(value: dict, left: list, depth: int) -> dict:
    room, chars = left
    size = dict.__len__(value)
    left[0] = room - size if size <= room else 0
    copy: dict = {}
    for name, part in dict.items(value) if size <= room else islice(dict.items(value), room):
        if type(name) is not str:
            name = str(scalar(name))
        if len(name) > chars:
            name = cut(name, chars)
        chars -= min(len(name), chars)
        kind = type(part)
        if kind is str:
            if len(part) > chars:
                part = cut(part, chars)
                chars = 0
            else:
                chars -= len(part)
        elif kind not in FIXED:
            left[1] = chars
            part = _copy(part, left, depth + 1)
            chars = left[1]
        copy[name] = part
    left[1] = chars
    if size > room:
        copy["_truncated_items"] = size - room
    return copy


def _copy_items(value: object, left: list, depth: int) -> list:
    room, chars = left
    base = base_of(value)
    size = base.__len__(value)
    left[0] = room - size if size <= room else 0
    copy: list = []
    # A live list may grow under a loop.
    for part in islice(base.__iter__(value), min(size, room)):
        kind = type(part)
        if kind is str:
            if len(part) > chars:
                part = cut(part, chars)
                chars = 0
            else:
                chars -= len(part)
        elif kind not in FIXED:
            left[1] = chars
            part = _copy(part, left, depth + 1)
            chars = left[1]
        copy.append(part)
    left[1] = chars
    if size > room:
        copy.append({"_truncated_items": size - room})
    return copy

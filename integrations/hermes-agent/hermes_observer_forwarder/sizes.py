"""Sizes of content that is left out, in bytes, in bounded time."""

from __future__ import annotations

from itertools import islice

from .snapshot import CONTAINERS, FIXED, MOST_ITEMS, Larger, base_of

_EXACT = 262_144
_SAMPLE = 65_536
_DEEPEST = 32
_NUMBER_BYTES = 4
_SOME = 100


def text_bytes(text: str) -> int:
    """Bytes of a text as UTF-8. Beyond 262,144 characters that are not all ASCII, scaled from the first 65,536."""
    length = len(text)
    if text.isascii():
        return length
    if length <= _EXACT:
        return len(text.encode("utf-8", "replace"))
    return len(text[:_SAMPLE].encode("utf-8", "replace")) * length // _SAMPLE


def value_bytes(value: object) -> int | None:
    """About the bytes that a value takes as JSON: a text counts as it is, of containers at most 1,000 items are
    looked at, and the rest is taken to be like them. None for an object that is no data.
    """
    kind = type(value)
    if kind is str:
        return text_bytes(value)  # type: ignore[arg-type]
    if kind in FIXED:
        return _NUMBER_BYTES
    if not isinstance(value, CONTAINERS):
        return None
    try:
        return _small(value, [MOST_ITEMS]) if kind is dict else _size(value, [MOST_ITEMS], 0)  # type: ignore[arg-type]
    except (Larger, TypeError, RecursionError, RuntimeError):
        pass
    try:
        return _size(value, [MOST_ITEMS], 0)
    except RuntimeError:  # Somebody else changed its size meanwhile.
        return None


def _small(value: dict, left: list) -> int:
    """Of what most arguments are: some texts and numbers, little below them."""
    left[0] -= len(value)
    if left[0] < 0:
        raise Larger
    total = 1
    for name, part in value.items():
        kind = type(part)
        if kind is str:
            total += len(part) + 6
        elif kind in FIXED:
            total += _NUMBER_BYTES + 4
        elif kind is dict:
            total += _small(part, left) + 4
        elif isinstance(part, CONTAINERS):
            total += _size(part, left, 1) + 4
        total += len(name)
    return total if total > 1 else 2


def _size(value: object, left: list, depth: int) -> int:
    base = base_of(value)
    count = base.__len__(value)  # type: ignore[attr-defined]
    # Of a long one some are looked at, so that there is room for what is in them.
    looked = count if count <= left[0] else min(left[0], _SOME)
    left[0] -= looked
    if looked == 0 or depth >= _DEEPEST:
        return 2
    total = 0
    if base is dict:
        for name in islice(dict.__iter__(value), looked):  # type: ignore[arg-type]
            total += len(name) + 3 if type(name) is str else _NUMBER_BYTES
        parts = iter(dict.values(value))  # type: ignore[arg-type]
    else:
        parts = base.__iter__(value)  # type: ignore[attr-defined]
    for part in islice(parts, looked):
        kind = type(part)
        if kind is str:
            total += len(part) + 3
        elif kind in FIXED:
            total += _NUMBER_BYTES
        elif isinstance(part, CONTAINERS):
            total += _size(part, left, depth + 1) + 1
    return 1 + total * count // looked

"""Sizes of content that is left out, in bytes, without copying much of it."""

from __future__ import annotations

import marshal

_EXACT = 262_144
_SAMPLE = 65_536


def text_bytes(text: str) -> int:
    """Bytes of a text as UTF-8. Beyond 262,144 characters that are not all ASCII, scaled from the first 65,536."""
    length = len(text)
    if text.isascii():
        return length
    if length <= _EXACT:
        return len(text.encode("utf-8", "replace"))
    return len(text[:_SAMPLE].encode("utf-8", "replace")) * length // _SAMPLE


def value_bytes(value: object) -> int | None:
    """About the bytes that a value takes as JSON. None for what has no such size.

    Texts count as they are; what is nested further counts in a compact binary form, which costs less than JSON.
    """
    kind = type(value)
    if kind is str:
        return text_bytes(value)  # type: ignore[arg-type]
    if kind is not dict:
        return _binary_bytes(value)
    total = 2
    for name, part in list(value.items()):  # type: ignore[attr-defined]
        total += len(name) + 4 if type(name) is str else 8
        if type(part) is str:
            total += text_bytes(part) + 2
        else:
            total += _binary_bytes(part) or 4
    return total


def _binary_bytes(value: object) -> int | None:
    try:
        return len(marshal.dumps(value))
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None

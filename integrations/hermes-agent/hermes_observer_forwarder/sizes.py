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
    """About the bytes that a value takes as JSON: a text counts as it is, anything else in a compact binary form, which is
    much faster and within some percent. None for what has no such form.
    """
    if type(value) is str:
        return text_bytes(value)
    try:
        return len(marshal.dumps(value))
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None

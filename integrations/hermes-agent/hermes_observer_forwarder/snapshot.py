"""What is taken of a value that its owner may still change, on the calling thread.

Texts and numbers cannot change and are kept as they are. Containers are frozen with `marshal`, the fastest copy the standard
library has: it lets no other thread in between, so what it takes is one state.
"""

from __future__ import annotations

from .frozen import Frozen
from .plain import plain, type_name

_FIXED = frozenset({str, int, float, bool, type(None)})


def snapshot(value: object) -> object:
    """A value that nobody else can change: itself, a `Frozen`, a bounded copy, or a type's name."""
    kind = type(value)
    if kind in _FIXED:
        return value
    if kind is list and not value:  # What most lists of the agent are.
        return []
    if not isinstance(value, (dict, list, tuple, set, frozenset, str, int, float)):
        return type_name(value)
    try:
        return Frozen(value)
    except (ValueError, TypeError, RecursionError, MemoryError):
        # Foreign types, or too deep: slow, and cannot fail.
        return plain(value)


def size_of(value: object) -> int:
    """About the bytes a snapshot holds on to. What `plain` made is bounded by itself."""
    kind = type(value)
    if kind is Frozen:
        return len(value.data)  # type: ignore[attr-defined]
    if kind is str:
        return len(value)  # type: ignore[arg-type]
    return 1000 if kind is dict or kind is list and value else 16

"""What is taken of a value that its owner may still change, on the calling thread.

Texts and numbers cannot change and are kept as they are, however long. Nested containers are frozen with `marshal`, the
fastest copy the standard library has: it runs without letting other threads in between, so what it takes is one state.
"""

from __future__ import annotations

from .frozen import Frozen
from .plain import plain, type_name

_FIXED = frozenset({str, int, float, bool, type(None)})


def snapshot(value: object) -> object:
    """A value that nobody else can change: itself, a `Frozen`, a shallow copy with such parts, or a type's name."""
    kind = type(value)
    if kind in _FIXED:
        return value
    if kind is dict:
        # Not the whole: a long text among the arguments would be copied too.
        return {name: part if type(part) in _FIXED else _freeze(part) for name, part in list(value.items())}  # type: ignore[attr-defined]
    if isinstance(value, (dict, list, tuple, set, frozenset, str, int, float)):
        return _freeze(value)
    return type_name(value)


def _freeze(value: object) -> object:
    try:
        return Frozen(value)
    except (ValueError, TypeError, RecursionError, MemoryError):
        # Foreign types, or too deep: a bounded copy, which is slow and cannot fail.
        return plain(value)


def size_of(value: object) -> int:
    """About the bytes a snapshot holds on to."""
    kind = type(value)
    if kind is str:
        return len(value)  # type: ignore[arg-type]
    if kind is Frozen:
        return len(value.data)  # type: ignore[attr-defined]
    if kind is dict:
        return sum(size_of(part) for part in value.values()) + 64 * len(value)  # type: ignore[attr-defined,arg-type]
    return 16

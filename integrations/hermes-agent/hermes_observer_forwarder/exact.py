"""Arguments as JSON that says exactly what they are, and whether two values are the same. What cannot be said exactly is
refused: a policy would decide on something else than what runs.
"""

from __future__ import annotations

import json

LARGEST_INT = 2**53 - 1
"""The service counts in doubles; a larger number would be another one there."""
_DEEPEST = 200
_MOST_VALUES = 2_000_000


class InexactError(ValueError):
    """Says what is not exact, without any value."""


def exact_json(value: object) -> bytes:
    """UTF-8 of a value of plain JSON types. Raises InexactError for anything else."""
    _check(value, 0, [_MOST_VALUES])
    try:
        return json.dumps(value, ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":")).encode()
    except (UnicodeEncodeError, ValueError, TypeError, RecursionError, RuntimeError) as error:
        what = "half a surrogate pair" if isinstance(error, UnicodeEncodeError) else type(error).__name__
        raise InexactError(what) from None


def _check(value: object, depth: int, left: list[int]) -> None:
    left[0] -= 1
    if left[0] < 0:
        raise InexactError("too many values")
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if kind is int:
        if not -LARGEST_INT <= value <= LARGEST_INT:  # type: ignore[operator]
            raise InexactError("a whole number of more than 53 bits")
    elif kind is float:
        if value - value != 0:  # type: ignore[operator]
            raise InexactError("a number that is not finite")
    elif depth >= _DEEPEST:
        raise InexactError("too many levels")
    elif kind is dict:
        for name, part in list(value.items()):  # type: ignore[attr-defined]
            if type(name) is not str:
                raise InexactError("a name that is no text")
            _check(part, depth + 1, left)
    elif kind is list or kind is tuple:
        for part in list(value):  # type: ignore[call-overload]
            _check(part, depth + 1, left)
    else:
        raise InexactError(f"a value of type {kind.__name__[:64]}")


def same(one: object, other: object) -> bool:
    """Whether two values of JSON are the same. Unlike `==`, true is not 1. 1 and 1.0 are, since JSON does not tell them apart."""
    if isinstance(one, bool) or isinstance(other, bool) or one is None or other is None:
        return one is other
    if isinstance(one, dict):
        return (
            isinstance(other, dict)
            and len(one) == len(other)
            and all(name in other and same(part, other[name]) for name, part in one.items())
        )
    if isinstance(one, (list, tuple)):
        return (
            isinstance(other, (list, tuple))
            and len(one) == len(other)
            and all(same(part, counterpart) for part, counterpart in zip(one, other))
        )
    if isinstance(one, (int, float)):
        return isinstance(other, (int, float)) and one == other
    return type(one) is type(other) and one == other

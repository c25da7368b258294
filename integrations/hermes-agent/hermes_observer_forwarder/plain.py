"""A bounded copy of anything, of types JSON has: for payloads that cannot be written as they are."""

from __future__ import annotations

_DEEPEST = 32
_MOST_ITEMS = 10_000
"""Items of a whole value; what comes after them is left out."""
_LARGEST_INT = 2**63


def type_name(value: object) -> str:
    """What stands for an object that is not data: nothing of it is called."""
    return f"<{type(value).__name__}>"


def scalar(value: object) -> object:
    """A value that is no container, as JSON can have it. NaN is null; objects become their type's name."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        number = int.__int__(value)
        return number if -_LARGEST_INT < number < _LARGEST_INT else float(number) if number.bit_length() < 1000 else None
    if isinstance(value, float):
        number = float.__float__(value)
        return number if number - number == 0 else None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"<{len(value)} bytes>"
    return type_name(value)


def plain(value: object) -> object:
    """The copy. Cycles, depth and surplus are marked."""
    return _copy(value, 0, set(), [_MOST_ITEMS])


def _copy(value: object, depth: int, above: set, left: list) -> object:
    if not isinstance(value, (dict, list, tuple, set, frozenset)):
        return scalar(value)
    if depth >= _DEEPEST:
        return "<depth limit>"
    if id(value) in above:
        return "<cycle>"
    above.add(id(value))
    try:
        if isinstance(value, dict):
            return _copy_dict(value, depth, above, left)
        return _copy_items(value, depth, above, left)
    finally:
        above.discard(id(value))


def _copy_dict(value: dict, depth: int, above: set, left: list) -> dict:
    copy = {}
    for name, part in list(dict.items(value)):
        if left[0] <= 0:
            copy["_truncated"] = True
            break
        left[0] -= 1
        key = str.__str__(name) if isinstance(name, str) else repr(name) if type(name) in (int, float, bool) else type_name(name)
        copy[key] = _copy(part, depth + 1, above, left)
    return copy


def _copy_items(value: object, depth: int, above: set, left: list) -> list:
    copy: list = []
    # list(), since a live list may change under a loop.
    for part in list(value):  # type: ignore[call-overload]
        if left[0] <= 0:
            copy.append("<more>")
            break
        left[0] -= 1
        copy.append(_copy(part, depth + 1, above, left))
    return copy

"""The one thing assembly reads in a tool's result, taken out before the result is dropped."""

from __future__ import annotations

import json

_PRECISE = frozenset({"blocked", "cancelled", "timeout"})
_LONGEST_PARSED = 262_144
"""A longer result is not parsed, in characters; a refusal is short."""


def result_status(result: object) -> str | None:
    """Top-level `status` of a JSON result when it says more than that there was an error."""
    if type(result) is dict:
        status = result.get("status")
    elif type(result) is str:
        if len(result) > _LONGEST_PARSED or '"status"' not in result:
            return None
        if not any(word in result for word in _PRECISE):
            return None
        try:
            value = json.loads(result)
        except (ValueError, RecursionError):
            return None
        status = value.get("status") if type(value) is dict else None
    else:
        return None
    return status if type(status) is str and status in _PRECISE else None

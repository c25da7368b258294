"""What the agent around this plugin can do with an answer, and how long it waits for one. Nothing is imported: the agent is
loaded already, or there is none.
"""

from __future__ import annotations

import sys

UNTOLD_SECONDS = 30.0
"""The agent's own default for a callback; agents before 0.21 have no limit, and a user waits for them too."""
_LONGEST_MARGIN = 2.0
_LONGEST_SECONDS = 600.0
"""No service waits longer."""


def seconds_for_answer(wanted: float | None) -> float:
    """How long an answer may take: what is wanted, below every limit of the agent. It skips a callback that is later, for a
    minute, and one of its tools that takes too long is given up while it still runs.
    """
    limits = [limit for limit in (_callback_limit(), _tool_limit()) if limit is not None]
    if wanted is None:
        wanted = min(limits) if limits else UNTOLD_SECONDS
    return max(0.05, min([wanted, _LONGEST_SECONDS] + [limit - min(_LONGEST_MARGIN, limit / 4) for limit in limits]))


def _callback_limit() -> float | None:
    return _positive(_function("hermes_cli.plugins", "_resolve_hook_callback_timeout"))


def _tool_limit() -> float | None:
    name = "_resolve_sequential_tool_timeout"
    return _positive(_function("agent.tool_executor", name)) or _positive(
        _function("agent.tool_executor", "_resolve_concurrent_tool_timeout")
    )


def _function(module: str, name: str) -> object:
    return getattr(sys.modules.get(module), name, None)


def _positive(limit: object) -> float | None:
    """None where there is none."""
    if not callable(limit):
        return None
    try:
        seconds = limit()
        return float(seconds) if seconds is not None and seconds > 0 else None
    except Exception:
        return None


def takes_changes() -> bool:
    """Whether the agent merges arguments that a callback returns (since 0.21)."""
    return callable(_function("hermes_cli.plugins", "_dispatch_pre_tool_call_hooks"))


def runs_what_it_shows() -> bool:
    """Whether a callback is shown the very arguments that run, so that what is changed there is changed. Every agent that was
    looked at does.
    """
    return takes_changes() or callable(_function("hermes_cli.plugins", "resolve_pre_tool_block"))


def asks_people() -> bool:
    """Whether the agent knows the answer `approve`. One that does not would run the call."""
    return callable(_function("hermes_cli.plugins", "resolve_pre_tool_block"))

"""Where the agent comes in."""

from __future__ import annotations

import os

from .guard import HOOK as GUARDED
from .guard import refuse_all
from .hello import hello
from .hooks import HOOKS, STREAM_HOOKS
from .process import senders
from .settings import read_settings
from .words import label


def register(ctx: object) -> None:
    """Registers a callback for every hook. Never raises: an agent without an observer is better than none; one whose policy was
    asked for and cannot be had runs no tools.
    """
    try:
        _register(ctx)
    except Exception:
        import logging

        logging.getLogger("hermes_observer").warning("hermes-observer: not registered", exc_info=True)
        if read_settings(os.environ, lambda name: _configured(ctx, name)).policy:
            ctx.register_hook(GUARDED, refuse_all)


def _register(ctx: object) -> None:
    settings = read_settings(os.environ, lambda name: _configured(ctx, name))
    hooks = HOOKS + STREAM_HOOKS if settings.stream else HOOKS
    profile = _profile(ctx, settings.capture)
    group = senders()
    sender = group.use(settings)
    for hook in hooks:
        ctx.register_hook(hook, sender.observer(hook, profile))
    sender.greet(profile, hello(settings, profile, hooks))
    on_unload = getattr(ctx, "on_unload", None)
    if callable(on_unload):
        on_unload(lambda: group.release(sender))


def _configured(ctx: object, name: str) -> object:
    """A setting under `plugins.entries.hermes-observer.settings`; agents before 0.20.1 have none."""
    try:
        value = ctx.get_config(name)
    except Exception:
        return None
    return value if isinstance(value, (str, int, float, bool)) else None


def _profile(ctx: object, capture: str) -> str | None:
    try:
        name = ctx.profile_name
    except Exception:
        return None
    return label(name, capture) if type(name) is str and name else None

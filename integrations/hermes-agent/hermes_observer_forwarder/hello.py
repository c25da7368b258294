"""The first record of a producer, so that a silent one can be told from one without work."""

from __future__ import annotations

import os
import sys

from .settings import Settings
from .surface import surface
from .version import PROTOCOL, VERSION
from .words import label


def hello(settings: Settings, profile: str | None, hooks: tuple[str, ...]) -> dict:
    """Payload of `observer_hello`. `pid` is filled in when it is sent, since a fork has another."""
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")
    payload = {
        "protocol": PROTOCOL,
        "capture": settings.capture,
        "host": label(host, settings.capture),
        "forwarder_version": VERSION,
        "hermes_version": _hermes_version(settings.capture),
        "python_version": "%d.%d.%d" % sys.version_info[:3],
        "surface": label(settings.surface or surface(), settings.capture),
        "profile": profile,
        "hooks": list(hooks),
    }
    if settings.policy:
        payload["policy"] = "on"
        payload["policy_unreachable"] = settings.policy_unreachable
    if settings.problems:
        payload["problems"] = list(settings.problems)
    return payload


def _hermes_version(capture: str) -> str | None:
    """The agent is loaded already; importing it from here would be the wrong way round."""
    version = getattr(sys.modules.get("hermes_cli"), "__version__", None)
    return label(version, capture) if type(version) is str else None

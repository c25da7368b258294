"""Starts the service as a process of its own, by the command that was recorded when the plugin was installed."""

from __future__ import annotations

import json
import os

SERVICE_FILE = "service.json"
_PASSED_ON = ("HERMES_OBSERVER_", "OTEL_", "XDG_", "LC_")
_PASSED_ON_NAMES = frozenset(
    "HOME PATH USER LOGNAME LANG TZ TMPDIR SHELL NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR"
    " HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy SystemRoot".split()
)


def recorded_command(folder: str | None = None) -> list[str] | None:
    """`{"command": ["/abs/node", "/abs/hermes-observer.js", "serve"]}` beside this file; None when there is none."""
    path = os.path.join(folder or os.path.dirname(os.path.abspath(__file__)), SERVICE_FILE)
    try:
        with open(path, encoding="utf-8") as file:
            command = json.load(file).get("command")
    except (OSError, ValueError, AttributeError):
        return None
    if type(command) is not list or not command or not all(type(part) is str for part in command):
        return None
    # A name would be looked up in whatever PATH the agent runs with.
    return command if os.path.isabs(command[0]) else None


def environment_of_service() -> dict[str, str]:
    """The agent's keys and tokens are not the service's business."""
    return {
        name: value for name, value in os.environ.items() if name in _PASSED_ON_NAMES or name.startswith(_PASSED_ON)
    }


class Autostart:
    """One attempt a process."""

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._process: object = None
        self._was_tried = False

    def start(self) -> bool:
        """True when a service was started now."""
        if self._was_tried:
            self._reap()
            return False
        self._was_tried = True
        command = recorded_command(self._folder)
        if command is None:
            return False
        import subprocess

        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/" if os.name == "posix" else None,
                env=environment_of_service(),
                start_new_session=True,
                close_fds=True,
            )
        except (OSError, ValueError, RuntimeError):
            return False
        return True

    def _reap(self) -> None:
        """A service that ended at once must not stay as a zombie."""
        if self._process is not None:
            self._process.poll()  # type: ignore[attr-defined]

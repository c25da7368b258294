"""What the environment and the plugin's settings in the agent's `config.yaml` ask for. The environment wins."""

from __future__ import annotations

import os
from collections.abc import Callable

from .projection import CAPTURES

PREFIX = "HERMES_OBSERVER_"

SETTINGS: tuple[tuple[str, str, str], ...] = (
    ("CAPTURE", "none", "`none`: no content. `redacted`: content, bounded; the service masks it. `full`: content as it is"),
    ("SOCKET", "`$XDG_RUNTIME_DIR/hermes-observer/observer.sock`, else `<data>/run/observer.sock`", "unix socket of the service"),
    ("URL", "", "address of a service that the socket does not reach, such as `http://127.0.0.1:4890`"),
    ("TOKEN", "first line of `<data>/token`", "token for `URL`"),
    ("FILE", "", "append records to this file and talk to no service"),
    ("DATA", "`$XDG_STATE_HOME/hermes-observer`, else `~/.local/state/hermes-observer`", "data folder"),
    ("STREAM", "0", "1: register the stream hooks too, which can make the agent stream"),
    ("AUTOSTART", "0", "1: start the service when its socket does not answer, once a process"),
    ("POLICY", "off", "`on`: the service decides on every tool call before it runs"),
    ("POLICY_UNREACHABLE", "block", "what becomes of a tool call when the service cannot be asked: `block` or `allow`"),
    ("POLICY_TIMEOUT", "the agent's limit, less 2 s", "most seconds that a decision may take; never longer than the agent waits for a plugin"),
    ("SURFACE", "found out", "what this process is, for the service to show"),
    ("QUEUE_RECORDS", "10000", "most records that wait for the sender's thread"),
    ("QUEUE_BYTES", "16777216", "most bytes that wait for it, and as many again for the service or the disk"),
    ("SPOOL_BYTES", "67108864", "most bytes of this process on disk"),
    ("SPOOL_FOLDER_BYTES", "268435456", "most bytes of all processes on disk"),
    ("SPOOL_FILE_BYTES", "4194304", "bytes of one spool file"),
)
"""(name without prefix, default as the README shows it, meaning)"""

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"", "0", "false", "no", "off"})


class Settings:
    """Values as they are used; defaults are those of `SETTINGS`."""

    capture = "none"
    socket = ""
    url = ""
    token = ""
    file = ""
    data = ""
    stream = False
    autostart = False
    policy = False
    policy_unreachable = "block"
    policy_timeout: float | None = None
    """Seconds; None: as long as the agent waits."""
    surface = ""
    queue_records = 10_000
    queue_bytes = 16_777_216
    spool_bytes = 67_108_864
    spool_folder_bytes = 268_435_456
    spool_file_bytes = 4_194_304
    problems: tuple[str, ...] = ()
    """What was asked for and cannot be had, in words. Shown once."""

    def __init__(self, **values: object) -> None:
        vars(self).update(values)

    def key(self) -> tuple:
        """What makes two equal: of plain types, since each load of this module has a class of its own."""
        return tuple(sorted((name, value) for name, value in vars(self).items() if name != "problems"))


def read_settings(environment: dict[str, str] | os._Environ[str], configured: Callable[[str], object]) -> Settings:
    """Reads all settings. `configured(name)` gives one of the agent's configuration (lower case), None when unset."""
    problems: list[str] = []

    def text(name: str) -> str:
        value = environment.get(PREFIX + name)
        if value is None or value == "":
            value = configured(name.lower())
        return "" if value is None else str(value).strip()

    def flag(name: str) -> bool:
        return text(name).lower() in _TRUE

    def number(name: str, default: int) -> int:
        given = text(name)
        if given == "":
            return default
        if given.isascii() and given.isdigit() and len(given) <= 15:
            return int(given)
        problems.append(f"{PREFIX}{name} is not a whole number; using {default}")
        return default

    def seconds(name: str) -> float | None:
        given = text(name)
        if given == "":
            return None
        if given.isascii() and given.replace(".", "", 1).isdigit() and len(given) <= 15 and 0 < float(given):
            return float(given)
        problems.append(f"{PREFIX}{name} is not a number of seconds; using the default")
        return None

    capture = text("CAPTURE").lower() or "none"
    if capture not in CAPTURES:
        problems.append(f"{PREFIX}CAPTURE must be none, redacted or full; using none")
        capture = "none"
    data = _absolute(text("DATA")) or _default_data(environment)
    url = text("URL")
    if url and not url.startswith(("http://", "https://")):
        problems.append(f"{PREFIX}URL is not an http or https address; not used")
        url = ""
    # A slip must not take a guard away.
    policy = text("POLICY").lower()
    if policy not in _TRUE | _FALSE:
        problems.append(f"{PREFIX}POLICY must be on or off; using on")
    unreachable = text("POLICY_UNREACHABLE").lower() or "block"
    if unreachable not in ("block", "allow"):
        problems.append(f"{PREFIX}POLICY_UNREACHABLE must be block or allow; using block")
        unreachable = "block"
    return Settings(
        capture=capture,
        policy=policy not in _FALSE,
        policy_unreachable=unreachable,
        policy_timeout=seconds("POLICY_TIMEOUT"),
        socket=_absolute(text("SOCKET")) or _default_socket(environment, data),
        url=url,
        token=text("TOKEN"),
        file=_absolute(text("FILE")),
        data=data,
        stream=flag("STREAM"),
        autostart=flag("AUTOSTART"),
        surface=text("SURFACE"),
        queue_records=number("QUEUE_RECORDS", Settings.queue_records),
        queue_bytes=number("QUEUE_BYTES", Settings.queue_bytes),
        spool_bytes=number("SPOOL_BYTES", Settings.spool_bytes),
        spool_folder_bytes=number("SPOOL_FOLDER_BYTES", Settings.spool_folder_bytes),
        spool_file_bytes=number("SPOOL_FILE_BYTES", Settings.spool_file_bytes),
        problems=tuple(problems),
    )


def _absolute(path: str) -> str:
    """The agent may change its folder later."""
    return os.path.abspath(os.path.expanduser(path)) if path else ""


def _default_data(environment: object) -> str:
    state = environment.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "hermes-observer")


def _default_socket(environment: object, data: str) -> str:
    runtime = environment.get("XDG_RUNTIME_DIR")
    return f"{runtime}/hermes-observer/observer.sock" if runtime else f"{data}/run/observer.sock"


def read_token(settings: Settings) -> str:
    """The token for HTTP; read at each connection, since the service may make a new one. "" when there is none."""
    token = settings.token
    if not token:
        try:
            with open(f"{settings.data}/token", encoding="utf-8", errors="replace") as file:
                token = file.readline(4096).strip()
        except OSError:
            return ""
    return token if token.isascii() and token.isprintable() else ""

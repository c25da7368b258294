"""A record as one line of JSON. Runs on the sender's thread."""

from __future__ import annotations

import json
from collections.abc import Callable

from .plain import plain, type_name


def _default(value: object) -> object:
    if isinstance(value, (bytes, bytearray)):
        return f"<{len(value)} bytes>"
    if isinstance(value, (set, frozenset)):
        return list(value)
    return type_name(value)


def _encoder() -> Callable[[object], str]:
    """Cycles end in a RecursionError, which costs nothing to look for.

    `JSONEncoder.encode` makes its C encoder anew for each value, which is a good part of a short one's cost. So it is
    made once, as `json.encoder` does it, where that works.
    """
    slow = json.JSONEncoder(
        ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"), default=_default
    ).encode
    try:
        from json.encoder import c_make_encoder, encode_basestring

        chunks = c_make_encoder(None, _default, encode_basestring, None, ":", ",", False, False, False)
        join = "".join

        def fast(value: object) -> str:
            return join(chunks(value, 0))

        probe = {"a": [1, 2.5, None, True, "\u00e9\""]}
        return fast if fast(probe) == slow(probe) else slow
    except Exception:
        return slow


_encode = _encoder()


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # Halves of a pair without the other; whole pairs become the character they stand for.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def encode_record(seq: int, producer: str, hook: str, time_unix_nano: int, profile: str | None, payload: dict) -> bytes:
    """One line. `seq` comes first, so that a spool can be read without parsing its lines.

    What JSON has no form for goes through a bounded plain copy.
    """
    about = "" if profile is None else f',"profile":{_quoted(profile)}'
    try:
        body = _encode(payload)
    except KeyboardInterrupt:
        raise
    except BaseException:
        body = _encode(plain(payload))
    return _utf8(
        f'{{"seq":{seq},"producer":"{producer}","hook":"{hook}","time_unix_nano":"{time_unix_nano}"{about},"payload":{body}}}\n'
    )


_quotes: dict[str, str] = {}


def _quoted(profile: str) -> str:
    """The name of a profile as JSON; there are few."""
    quoted = _quotes.get(profile)
    if quoted is None:
        quoted = _quotes[profile] = json.dumps(profile)
    return quoted


def seq_of(line: bytes) -> int:
    """The number of a line that `encode_record` wrote; 0 for any other line."""
    if not line.startswith(b'{"seq":'):
        return 0
    digits = line[7 : line.find(b",", 7, 32)]
    return int(digits) if digits.isdigit() else 0

"""What may stay of a text where content must not: words that a program chose. Same rules as in the service."""

from __future__ import annotations

import re

_WORD = re.compile(r"[\w.:$/-]{1,128}", re.ASCII)
_COUNTS = re.compile(r"finish_reason=\w+|\d+/\d+", re.ASCII)
_SLUG = re.compile(r"[a-z0-9_]{1,64}")
_SYSTEM = frozenset({"interrupted_by_system", "interrupted_during_api_call"})
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#\\\s]*)")

# Agents use few words, so answers are kept; cleared when full, since what a hostile agent sends is without end.
_MOST_KNOWN = 1024
_words: dict[str, str | None] = {}
_reasons: dict[str, str | None] = {}
_addresses: dict[str, str | None] = {}


def _remember(known: dict, text: str, kept: str | None) -> str | None:
    if len(known) >= _MOST_KNOWN:
        known.clear()
    if len(text) <= 1024:
        known[text] = kept
    return kept


def word(text: str) -> str:
    """A class name, a code, a slug as it is; `_OTHER` for anything that may be somebody's text; `""` stays."""
    kept = _words.get(text)
    if kept is not None:
        return kept
    return _remember(_words, text, text if text == "" or _WORD.fullmatch(text) else "_OTHER")  # type: ignore[return-value]


def exit_reason(text: str) -> str | None:
    """The reason of a turn's end without free text in its parentheses. None when no word is left."""
    if text in _reasons:
        return _reasons[text]
    return _remember(_reasons, text, _exit_reason(text))


def _exit_reason(text: str) -> str | None:
    name, parenthesis, rest = text.partition("(")
    if not _WORD.fullmatch(name):
        return None
    if parenthesis == "":
        return text
    inside = rest[:-1]
    if rest.endswith(")") and (_COUNTS.fullmatch(inside) or (name in _SYSTEM and _SLUG.fullmatch(inside))):
        return text
    return name


def address(text: str) -> str | None:
    """Scheme, host and port of a base address: no credentials, no path, no query. None when it is no address."""
    if text in _addresses:
        return _addresses[text]
    found = _ADDRESS.match(text) if len(text) <= 2048 else None
    kept = None
    if found is not None:
        kept = f"{found.group(1)}://{found.group(2).rpartition('@')[2]}"
    return _remember(_addresses, text, kept)

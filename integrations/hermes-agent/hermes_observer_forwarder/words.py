"""What may stay of a text where content must not: words that a program chose, and names of things. Same rules as in the service.

Nothing keeps an agent or a plugin from putting a key where a name belongs, so neither may look like a secret.
"""

from __future__ import annotations

import re

from . import masks

OTHER = "_OTHER"
_WORD = re.compile(r"[\w.:$/-]{1,128}", re.ASCII)
_COUNTS = re.compile(r"finish_reason=\w+|\d+/\d+", re.ASCII)
_SLUG = re.compile(r"[a-z0-9_]{1,64}")
_SYSTEM = frozenset({"interrupted_by_system", "interrupted_during_api_call"})
_LONGEST_NAME = 128
_NOT_IN_NAMES = re.compile(r"[\"`{}\[\]\\]")
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://([^/?#\\\s]*)")

# Agents use few words, so answers are kept; cleared when full, since what a hostile agent sends is without end.
_MOST_KNOWN = 1024
_words: dict[str, str | None] = {}
_names: dict[str, str | None] = {}
_phrases: dict[str, str | None] = {}
_masked: dict[str, str | None] = {}
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
    is_word = text == "" or (_WORD.fullmatch(text) and masks.is_clean(text))
    return _remember(_words, text, text if is_word else OTHER)  # type: ignore[return-value]


def name(text: str) -> str:
    """The name of a model, a surface, a profile, if it has at most 128 characters and no spaces, quotes and brackets of
    code; else `_OTHER`.
    """
    kept = _names.get(text)
    if kept is not None:
        return kept
    return _remember(_names, text, text if " " not in text and _is_phrase(text) else OTHER)  # type: ignore[return-value]


def phrase(text: str) -> str:
    """The same for the name of a tool, a rule or a role, which may be several words."""
    kept = _phrases.get(text)
    if kept is not None:
        return kept
    return _remember(_phrases, text, text if _is_phrase(text) else OTHER)  # type: ignore[return-value]


def _is_phrase(text: str) -> bool:
    is_line = len(text) <= _LONGEST_NAME and text.isprintable() and not _NOT_IN_NAMES.search(text)
    return is_line and masks.is_clean(text)


def masked(text: str) -> str:
    """A word or a name where content may stay, without secrets and personal data."""
    kept = _masked.get(text)
    if kept is not None:
        return kept
    return _remember(_masked, text, masks.masked(text))  # type: ignore[return-value]


def label(text: str, capture: str) -> str:
    """A name by the capture mode."""
    return text if capture == "full" else masked(text) if capture == "redacted" else name(text)


def exit_reason(text: str) -> str | None:
    """The reason of a turn's end without free text in its parentheses. None when no word is left."""
    if text in _reasons:
        return _reasons[text]
    return _remember(_reasons, text, _exit_reason(text))


def _exit_reason(text: str) -> str | None:
    name, parenthesis, rest = text.partition("(")
    if not _WORD.fullmatch(name) or not masks.is_clean(name):
        return None
    if parenthesis == "":
        return text
    inside = rest[:-1]
    is_kept = rest.endswith(")") and (_COUNTS.fullmatch(inside) or (name in _SYSTEM and _SLUG.fullmatch(inside)))
    return text if is_kept and masks.is_clean(text) else name


def address(text: str) -> str | None:
    """Scheme, host and port of a base address: no credentials, no path, no query. None when it is no address."""
    if text in _addresses:
        return _addresses[text]
    found = _ADDRESS.match(text) if len(text) <= 2048 else None
    kept = None
    if found is not None:
        kept = f"{found.group(1)}://{found.group(2).rpartition('@')[2]}"
    return _remember(_addresses, text, kept)

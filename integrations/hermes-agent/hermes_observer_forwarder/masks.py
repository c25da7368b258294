"""Secrets and personal data by their form, for short texts: those of the service's own redaction that fit into a name.

Most names are told apart from a secret by a search or two; a pattern is compiled when the first text could match it.
"""

from __future__ import annotations

import re

_OTHERS: tuple[tuple[str, str, str, str], ...] = (
    # (kind, what any match holds, pattern, what of a match stays: a group)
    ("jwt", "eyJ", r"(?<![A-Za-z0-9])eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*){0,3}", ""),
    ("credentials", "://", r"(://)[^\s/?#\"'<>@]{1,256}@", r"\1"),
    ("bearer", " ", r"(?i)(?<![A-Za-z0-9])((?:bearer|basic)[ \t]{1,4})(?=[^\s]*\d)[A-Za-z0-9._~+/=-]{8,}", r"\1"),
    ("email", "@", r"(?!git@)[^\W_][\w.%+-]{0,127}@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_]{2,24}", ""),
    (
        "secret",
        "",
        r"(?i)((?:passw|passphrase|secret|token|api[_ -]?key|credential|authorization|cookie)[\w-]{0,40}[\"']?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4})(?=\S{6})[^\s,;&]{1,256}",
        r"\1",
    ),
    ("ssn", "-", r"(?<![\w.-])(?!000|666|9)\d{3}-\d{2}-\d{4}(?![\w-])", ""),
    ("phone", "+", r"(?<![\w+=)])\+[1-9](?:[ ().-]{0,2}\d){7,14}(?![\w-])", ""),
    ("phone", "-", r"(?<![\w.+(-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}-\d{4}(?![\w-])", ""),
    ("card", "", r"(?<![\w.+-])[2-6]\d{3}([ -]?)\d{4}\1\d{4}\1\d{3,7}(?![\w-]|\.\d)", ""),
    ("iban", "", r"(?<![A-Za-z0-9_])[A-Z]{2}\d{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4}){2,7})(?![A-Za-z0-9_])", ""),
)

_SHORTEST = 6
_SHORTEST_KEY = 14
_NOTHING_TO_HIDE = re.compile(r"[a-z_. /-]*[a-z_. /-]", re.ASCII)
"""No digit, no capital letter, no sign that joins a name and its value."""
_AWS_WITHOUT_DIGITS = re.compile("A[A-Z]{10}")
_RUNS = re.compile(r"[A-Za-z0-9+=]{32,}|(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")


def masked(text: str) -> str:
    """A short text with what looks like a secret or personal data as `[redacted:<kind>]`."""
    if len(text) < _SHORTEST or _NOTHING_TO_HIDE.fullmatch(text):
        return text
    for kind, holds, pattern, stays in _OTHERS:
        if holds in text:
            text = re.sub(pattern, f"{stays}[redacted:{kind}]", text)
    if len(text) < _SHORTEST_KEY:
        return text
    for prefix, body in _keys():
        if prefix in text:
            text = re.sub(f"(?<![A-Za-z0-9]){re.escape(prefix)}{body}", _mask_key, text)
    return text


_known_keys: list[tuple[str, str]] = []


def _keys() -> list[tuple[str, str]]:
    """Each prefix with what follows it. Loaded when first needed: many agents never are."""
    if not _known_keys:
        from .key_prefixes import KEYS

        _known_keys.extend((prefix, body) for prefixes, body in KEYS for prefix in prefixes.split())
    return _known_keys


def _mask_key(found: re.Match) -> str:
    """Words are joined with dashes too; random keys have digits, only those of AWS may have none."""
    key = found.group()
    return "[redacted:api_key]" if any(map(str.isdigit, key)) or _AWS_WITHOUT_DIGITS.match(key) else key


def is_clean(text: str) -> bool:
    """Nothing in it would be masked, and no part of it is as random as a key without a mark."""
    if len(text) >= 32:
        for run in _RUNS.findall(text):
            if not (run.islower() or run.isupper()) and any(map(str.isdigit, run)) and any(map(str.isalpha, run)):
                return False
    return masked(text) == text

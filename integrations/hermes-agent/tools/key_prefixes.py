"""Writes the package's `key_prefixes.py` from the prefixes that the service knows. `python tools/key_prefixes.py`; a test runs
it with `--check`."""

import ast
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = os.path.join(TOP, "..", "..", "packages", "core", "src", "redaction", "api-keys.ts")
TARGET = os.path.join(TOP, "hermes_observer_forwarder", "key_prefixes.py")

HEAD = '''"""Keys that vendors mark with a prefix: the prefixes, and what must follow as a regular expression.

Made by `tools/key_prefixes.py` from those that the service knows.
"""

KEYS = (
'''


def literal(source, constants):
    """A string or template of the source, whose constants are known."""
    quote, body = source[0], source[1:-1]
    if quote == "`":
        body = re.sub(r"\$\{(\w+)\}", lambda found: constants[found.group(1)].replace("\\", "\\\\"), body)
    return ast.literal_eval(f"'{body}'")


def table(source):
    constants = {}
    for name, value in re.findall(r"^const (\w+) = ('[^']*'|`[^`]*`);$", source, re.MULTILINE):
        constants[name] = literal(value, constants)
    rows = re.findall(r"^  \[('(?:[^'\\]|\\.)*'), ('(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)\],$", source, re.MULTILINE)
    for prefixes, body in rows:
        yield literal(prefixes, constants), literal(body, constants)


def rendered():
    with open(SOURCE, encoding="utf-8") as file:
        source = file.read()
    rows = list(table(source))
    assert len(rows) == len(re.findall(r"^  \[", source, re.MULTILINE)), "a row of another form"
    return HEAD + "".join(f"    ({prefixes!r}, {body!r}),\n" for prefixes, body in rows) + ")\n"


if __name__ == "__main__":
    text = rendered()
    if "--check" in sys.argv:
        with open(TARGET, encoding="utf-8") as file:
            sys.exit(0 if file.read() == text else "key_prefixes.py is not in step: python tools/key_prefixes.py")
    with open(TARGET, "w", encoding="utf-8") as file:
        file.write(text)

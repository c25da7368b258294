"""Writes the tables of README.md from the code. `python tools/readme_tables.py`; a test runs it with `--check`."""

import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, TOP)

from hermes_observer_forwarder.fields import _EVERYWHERE, FRESH, NEVER, kept_fields  # noqa: E402
from hermes_observer_forwarder.hooks import HOOKS, STREAM_HOOKS  # noqa: E402
from hermes_observer_forwarder.projection import LONGEST_TEXT  # noqa: E402
from hermes_observer_forwarder.settings import PREFIX, SETTINGS  # noqa: E402

SIZED = {"bytes": "{}_bytes", "count": "{}_count"}
NAMED = {"name": "name", "phrase": "phrase", "word": "words", "exit": "words", "address": "host", "usage": "token counts", "error": "type"}


def settings_table():
    yield "| variable | default | meaning |"
    yield "| --- | --- | --- |"
    for name, default, meaning in SETTINGS:
        shown = f"`{default}`" if default and "`" not in default and default != "found out" else default
        yield f"| `{PREFIX}{name}` | {shown} | {meaning} |"


def capture_table():
    yield "| hook | kept as it is, if short | kept in part | derived |"
    yield "| --- | --- | --- | --- |"
    yield f"| every hook | {', '.join(_EVERYWHERE)} | | |"
    for hook in HOOKS + STREAM_HOOKS:
        fields = {name: kind for name, kind in kept_fields(hook).items() if name not in _EVERYWHERE}
        whole = [name for name, kind in fields.items() if kind == "id"]
        part = [f"{name} ({NAMED[kind]})" for name, kind in fields.items() if kind in NAMED]
        derived = [SIZED[kind].format(name) for name, kind in fields.items() if kind in SIZED]
        if "result" in fields.values():
            derived += ["result_bytes", "result_status"]
        yield f"| `{hook}` | {', '.join(whole)} | {', '.join(part)} | {', '.join(derived)} |"


def content_table():
    yield "| | `redacted` | `full` |"
    yield "| --- | --- | --- |"
    yield f"| longest text, in characters | {LONGEST_TEXT['redacted']:,} | {LONGEST_TEXT['full']:,} |"
    yield f"| left out | {', '.join(sorted(NEVER))} | the same |"
    yield f"| as the agent made it for this call | {', '.join(sorted(FRESH))} | the same |"
    yield "| `base_url` | scheme, host, port | the same |"
    yield "| all else | a copy of the moment of the call | the same |"


TABLES = {"settings": settings_table, "capture": capture_table, "content": content_table}


def rendered(text):
    for name, table in TABLES.items():
        block = f"<!-- {name} -->\n" + "\n".join(table()) + f"\n<!-- /{name} -->"
        text = re.sub(f"<!-- {name} -->.*<!-- /{name} -->", lambda _: block, text, flags=re.DOTALL)
    return text


if __name__ == "__main__":
    path = os.path.join(TOP, "README.md")
    with open(path, encoding="utf-8") as file:
        before = file.read()
    after = rendered(before)
    if "--check" in sys.argv:
        sys.exit(0 if after == before else "README.md is not in step: python tools/readme_tables.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(after)

"""A recording as this forwarder would have sent it: each payload through the projection of its hook.

    python project_recording.py CAPTURE IN OUT
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hermes_observer_forwarder.encode import encode_json  # noqa: E402
from hermes_observer_forwarder.projection import projection, reduction  # noqa: E402


def project(capture, source, target):
    with open(source, encoding="utf-8") as lines, open(target, "wb") as out:
        for line in lines:
            try:
                record = json.loads(line)
                hook, payload = record["hook"], record["payload"]
            except (ValueError, KeyError, TypeError):
                out.write(line.encode())
                continue
            if not hook.startswith("observer_"):
                kept = projection(hook, capture)(payload)[0]
                record["payload"] = reduction(hook, capture)(kept)
            out.write(encode_json(record) + b"\n")


if __name__ == "__main__":
    project(*sys.argv[1:])

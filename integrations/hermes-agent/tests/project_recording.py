"""A recording as this forwarder would have sent it: each payload through the projection of its hook.

    python project_recording.py CAPTURE IN OUT
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hermes_observer_forwarder.encode import encode_record  # noqa: E402
from hermes_observer_forwarder.projection import keeps_content, reduction, with_content, without_content  # noqa: E402


def projected(hook, payload, capture):
    """What a callback keeps of its arguments and the sender's thread of that. The arguments are used up."""
    kept = with_content(hook, capture)(payload)[0] if keeps_content(capture) else without_content(hook)(payload)
    return reduction(hook, capture)(kept)


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
                payload = projected(hook, payload, capture)
            seq, producer, when = record["seq"], record["producer"], record["time_unix_nano"]
            out.write(encode_record(seq, producer, hook, when, record.get("profile"), payload))


if __name__ == "__main__":
    project(*sys.argv[1:])

"""Reads files of ATOF (*.jsonl) and ATIF (*.json) with programs that are not ours.

check-files.py FOLDER prints one JSON object: how many files, runs and documents were read, and what was refused.
"""

import json
import logging
import sys
from pathlib import Path

from harbor.utils.trajectory_validator import TrajectoryValidator
from nat.atif.trajectory import Trajectory
from nat.atof.io import read_jsonl
from nat.atof.scripts.atof_to_atif_converter import convert

logging.disable(logging.WARNING)
folder = Path(sys.argv[1])
counts = {"atof_files": 0, "events": 0, "runs": 0, "atif_files": 0}
faults = []


def runs_of(events):
    """Events by the root they stand below: the converter makes one trajectory of one run."""
    parents = {event.uuid: event.parent_uuid for event in events}

    def root(uuid):
        for _ in range(256):
            above = parents.get(uuid)
            if above is None or above not in parents:
                return uuid
            uuid = above
        return uuid

    runs = {}
    for event in events:
        runs.setdefault(root(event.uuid), []).append(event)
    return runs


for path in sorted(folder.rglob("*.jsonl")):
    counts["atof_files"] += 1
    name = str(path.relative_to(folder))
    try:
        events = read_jsonl(path)
    except Exception as error:
        faults.append(f"{name}: {error}"[:400])
        continue
    counts["events"] += len(events)
    for uuid, run in runs_of(events).items():
        counts["runs"] += 1
        try:
            trajectory = convert(run)
            Trajectory.model_validate(trajectory.to_json_dict())
        except Exception as error:
            faults.append(f"{name}: run {uuid} is not converted: {error}"[:400])

for path in sorted(folder.rglob("*.json")):
    counts["atif_files"] += 1
    name = str(path.relative_to(folder))
    validator = TrajectoryValidator()
    if not validator.validate(path):
        faults.append(f"{name}: harbor: {validator.errors[:3]}")
    try:
        Trajectory.model_validate(json.loads(path.read_text()))
    except Exception as error:
        faults.append(f"{name}: nat: {error}"[:400])

print(json.dumps({**counts, "faults": faults}))

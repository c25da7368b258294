"""What this forwarder says of itself is what the contract has."""

import json
import os
import re
import shutil
import subprocess

import pytest
from doubles import PACKAGE_FOLDER, wait_for

CORE = os.path.join(PACKAGE_FOLDER, "..", "..", "packages", "core")
SCHEMA = os.path.join(CORE, "dist", "schema.js")
CHECK = """
import { readFileSync } from 'node:fs';
import { recordJsonSchema, validateRecord } from %s;
const records = readFileSync(0, 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line));
const { observer_hello, observer_dropped } = recordJsonSchema().$defs;
console.log(JSON.stringify({
  odd: records.flatMap((record) => validateRecord(record)),
  hello: Object.keys(observer_hello.properties),
  dropped: Object.keys(observer_dropped.properties),
  reasons: observer_dropped.properties.reason.examples,
}));
"""


def contract(lines):
    node = shutil.which("node")
    if node is None or not os.path.exists(SCHEMA):
        pytest.skip("needs Node.js and the built core package")
    source = CHECK % json.dumps(f"file://{os.path.abspath(SCHEMA)}")
    done = subprocess.run([node, "--input-type=module", "-e", source], input=lines, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def reasons():
    """All reasons that stand in the code."""
    folder = os.path.join(PACKAGE_FOLDER, "hermes_observer_forwarder")
    found = set()
    for name in os.listdir(folder):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found.update(re.findall(r'(?:give_up\(|refuse\(|_disk_reason = )"(\w+)"', file.read()))
    return found


@pytest.mark.parametrize("settings", [{}, {"capture": "full", "surface": "desk"}, {"capture": "wrong", "queue_records": "x"}])
@pytest.mark.parametrize("profile", ["default", "", None])
def test_every_hello_and_report_is_as_the_contract_says(plugged, monkeypatch, tmp_path, settings, profile):
    target = tmp_path / "out.ndjson"
    monkeypatch.setenv("HERMES_OBSERVER_FILE", str(target))
    context = plugged(profile=profile, settings=settings)
    from hermes_observer_forwarder.process import senders

    (sender,) = senders()._senders.values()
    for reason in sorted(reasons()):
        sender.pump.outbox.give_up(reason, 2)
    context.call("on_session_end", turn_id="t")
    told = reasons()
    assert wait_for(lambda: target.exists() and target.read_text().count("observer_dropped") >= len(told))
    lines = target.read_text()
    records = [json.loads(line) for line in lines.splitlines()]
    found = contract(lines)
    assert found["odd"] == []
    (hello,) = [record["payload"] for record in records if record["hook"] == "observer_hello"]
    assert set(hello) <= set(found["hello"])
    assert ("problems" in hello) == ("queue_records" in settings)
    dropped = [record["payload"] for record in records if record["hook"] == "observer_dropped"]
    assert sorted(payload["reason"] for payload in dropped) == sorted(told)
    assert all(set(payload) <= set(found["dropped"]) for payload in dropped)
    assert told <= set(found["reasons"])
    assert told == {"queue_full", "spool_full", "disk", "too_long", "unencodable", "refused"}

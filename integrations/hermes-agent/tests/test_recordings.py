"""Recordings of real agents, with content left out here, make the same spans as with content left out in the service."""

import glob
import json
import os
import shutil
import subprocess

import pytest
from doubles import PACKAGE_FOLDER
from project_recording import project

TOP = os.path.dirname(os.path.dirname(PACKAGE_FOLDER))
COMMAND = os.path.join(TOP, "packages", "cli", "bin", "hermes-observer.js")
BUILT = os.path.join(TOP, "packages", "cli", "dist", "main.js")
RECORDINGS = sorted(glob.glob(os.path.join(TOP, "conformance", "recordings", "**", "*.ndjson"), recursive=True))

needs_command = pytest.mark.skipif(
    shutil.which("node") is None or not os.path.exists(BUILT), reason="needs node and the built command line"
)


def replay(source, target, *options):
    done = subprocess.run(
        ["node", COMMAND, "replay", str(source), "--otlp-file", str(target), *options], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    with open(target, encoding="utf-8") as file:
        return sorted(file)


@needs_command
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: os.path.relpath(path, TOP)[23:-7])
def test_without_content_the_same_spans(recording, tmp_path):
    project("none", recording, tmp_path / "projected.ndjson")
    assert replay(tmp_path / "projected.ndjson", tmp_path / "a") == replay(recording, tmp_path / "b")


@needs_command
@pytest.mark.parametrize("name", ["b-two-sequential-tools", "k-delegate-one-child-sync", "e-tool-errors"])
def test_with_content_what_is_shown_is_from_the_sanitised_request(name, tmp_path):
    (recording,) = (path for path in RECORDINGS if path.endswith(f"0.22.2/{name}.ndjson"))
    project("full", recording, tmp_path / "projected.ndjson")
    (first,) = replay(tmp_path / "projected.ndjson", tmp_path / "a", "--capture", "full")
    (second,) = replay(recording, tmp_path / "b", "--capture", "full")
    ours, theirs = attributes(first), attributes(second)
    assert ours.keys() == theirs.keys()
    different = {key[1] for key in ours if ours[key] != theirs[key]}
    assert different <= {"gen_ai.input.messages"}


def attributes(line):
    """(span, attribute) → value over all spans of one request."""
    found = {}
    for resource in json.loads(line)["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for attribute in span.get("attributes", ()):
                    found[span["spanId"], attribute["key"]] = attribute["value"]
    return found


def test_no_words_of_the_recordings_get_through(tmp_path):
    secrets = ("Water the green beans", "Run the echo command", "notes.txt", "mock-key", "Sweep the garden")
    leaks = []
    for recording in RECORDINGS:
        project("none", recording, tmp_path / "projected.ndjson")
        text = (tmp_path / "projected.ndjson").read_text(encoding="utf-8")
        leaks += [(os.path.basename(recording), secret) for secret in secrets if secret in text]
    assert leaks == []

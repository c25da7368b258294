"""What may be set, and what odd values lead to."""

import json
import os
import sys

import pytest
from doubles import turn, wait_for

import hermes_observer_forwarder.surface as surface_module
from hermes_observer_forwarder.autostart import Autostart, environment_of_service, recorded_command
from hermes_observer_forwarder.settings import read_settings, read_token


def read(**environment):
    return read_settings({f"HERMES_OBSERVER_{name}": value for name, value in environment.items()}, lambda name: None)


def test_content_is_off_by_default():
    settings = read_settings({}, lambda name: None)
    assert settings.capture == "none"
    assert not settings.stream
    assert not settings.autostart
    assert settings.problems == ()


@pytest.mark.parametrize("value", ["all", "FULL!", "true", "1"])
def test_an_unknown_capture_is_none_and_said(value):
    settings = read(CAPTURE=value)
    assert settings.capture == "none"
    assert "CAPTURE" in settings.problems[0]


def test_captures():
    assert [read(CAPTURE=value).capture for value in ("none", "Redacted", " full ", "")] == [
        "none",
        "redacted",
        "full",
        "none",
    ]


def test_the_unknown_capture_is_told_to_the_service(service, plugged, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_CAPTURE", "everything")
    turn(plugged())
    assert wait_for(lambda: service.records())
    payload = service.records()[0]["payload"]
    assert payload["capture"] == "none"
    assert payload["problems"]


def test_numbers():
    assert read(QUEUE_RECORDS="7").queue_records == 7
    assert read(QUEUE_RECORDS="-7").queue_records == 10_000
    assert read(QUEUE_BYTES="16 MiB").problems


def test_where():
    home = os.path.expanduser("~")
    settings = read_settings({}, lambda name: None)
    assert settings.data == f"{home}/.local/state/hermes-observer"
    assert settings.socket == f"{settings.data}/run/observer.sock"
    settings = read_settings({"XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/r"}, lambda name: None)
    assert (settings.data, settings.socket) == ("/s/hermes-observer", "/r/hermes-observer/observer.sock")
    settings = read(DATA="/d", SOCKET="/x/y", FILE="~/f")
    assert (settings.data, settings.socket, settings.file) == ("/d", "/x/y", f"{home}/f")


def test_the_environment_wins_over_the_agents_configuration():
    settings = read_settings({"HERMES_OBSERVER_CAPTURE": "none"}, {"capture": "full", "autostart": True}.get)
    assert (settings.capture, settings.autostart) == ("none", True)


def test_an_address_that_is_none():
    assert read(URL="localhost:4890").url == ""
    assert read(URL="localhost:4890").problems
    assert read(URL="http://h:1").url == "http://h:1"


def test_a_token_is_one_printable_line(tmp_path):
    (tmp_path / "token").write_text("abc\ndef\n")
    assert read_token(read(DATA=str(tmp_path))) == "abc"
    assert read_token(read(DATA=str(tmp_path), TOKEN="x\x00y")) == ""
    assert read_token(read(DATA=str(tmp_path / "no"))) == ""


def test_stream_hooks_are_asked_for(plugged, monkeypatch, socket_path):
    assert "on_stream_delta" not in plugged().hooks
    monkeypatch.setenv("HERMES_OBSERVER_STREAM", "1")
    assert "on_stream_delta" in plugged().hooks


@pytest.mark.parametrize(
    ("argv", "expected", "one_shot"),
    [
        (["hermes", "chat", "-q", "x"], "cli-oneshot", True),
        (["hermes", "-z", "x"], "cli-oneshot", True),
        (["hermes", "chat", "--query=x"], "cli-oneshot", True),
        (["/x/hermes"], "cli-interactive", False),
        (["hermes", "gateway", "run"], "gateway", False),
        (["hermes", "acp"], "acp", False),
        (["/x/tui_gateway/entry.py"], "tui", False),
        (["script.py"], "", False),
    ],
)
def test_surface(monkeypatch, argv, expected, one_shot):
    monkeypatch.setattr(sys, "argv", argv)
    assert surface_module.surface() == expected
    assert surface_module.is_one_shot() is one_shot


def test_a_kanban_worker_is_one_shot(monkeypatch):
    monkeypatch.setenv("HERMES_KANBAN_TASK", "t_1")
    assert surface_module.is_one_shot()


def test_autostart_starts_the_recorded_command_once(tmp_path, monkeypatch):
    monkeypatch.setenv("HERMES_OBSERVER_DATA", "/d")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    seen = tmp_path / "seen"
    script = f"import os,json; open({str(seen)!r},'a').write(json.dumps([os.getsid(0)==os.getpid(), dict(os.environ)])+chr(10))"
    (tmp_path / "service.json").write_text(json.dumps({"command": [sys.executable, "-c", script]}))
    autostart = Autostart(str(tmp_path))
    assert autostart.start()
    assert not autostart.start()
    assert wait_for(lambda: seen.exists() and seen.read_text().endswith("\n"))
    (line,) = seen.read_text().splitlines()
    leads_session, environment = json.loads(line)
    assert leads_session
    assert environment["HERMES_OBSERVER_DATA"] == "/d"
    assert "OPENAI_API_KEY" not in environment


def test_autostart_wakes_a_service_that_then_gets_everything(plugged, data, socket_path, monkeypatch):
    import hermes_observer_forwarder.autostart as module

    source = (
        f"import sys, time; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r})\n"
        "from doubles import *\n"
        f"service = Service({socket_path!r})\n"
        "wait_for(lambda: len(service.records()) == 10)\n"
        f"open({str(data.parent / 'got')!r}, 'w').write(str(len(service.records())))\n"
    )
    folder = data.parent / "plugin"
    folder.mkdir()
    (folder / "service.json").write_text(json.dumps({"command": [sys.executable, "-c", source]}))
    monkeypatch.setattr(module, "recorded_command", lambda _: recorded_command(str(folder)))
    monkeypatch.setenv("HERMES_OBSERVER_AUTOSTART", "1")
    turn(plugged())
    assert wait_for(lambda: (data.parent / "got").exists(), 10)


@pytest.mark.parametrize("text", ["", "{}", '{"command": "x"}', '{"command": ["node", "x"]}', "[1]", '{"command": []}'])
def test_a_command_that_is_none_is_not_run(tmp_path, text):
    (tmp_path / "service.json").write_text(text)
    assert recorded_command(str(tmp_path)) is None
    assert not Autostart(str(tmp_path)).start()


def test_the_services_environment_has_no_keys_of_the_agent(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://x")
    environment = environment_of_service()
    assert "ANTHROPIC_API_KEY" not in environment
    assert environment["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://x"
    assert "PATH" in environment



import os
import subprocess
import sys
import tempfile

import pytest
from doubles import PACKAGE_FOLDER, Context, HttpService, Service

sys.path.insert(0, PACKAGE_FOLDER)
TESTS_FOLDER = os.path.dirname(os.path.abspath(__file__))


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    for name in list(os.environ):
        if name.startswith(("HERMES_", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HERMES_OBSERVER_DATA", str(tmp_path / "data"))


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


@pytest.fixture
def socket_path(monkeypatch):
    # Paths of unix sockets are short.
    with tempfile.TemporaryDirectory(prefix="ho-") as folder:
        path = os.path.join(folder, "s")
        monkeypatch.setenv("HERMES_OBSERVER_SOCKET", path)
        yield path


@pytest.fixture
def service(socket_path):
    service = Service(socket_path)
    yield service
    service.close()


@pytest.fixture
def http_service(monkeypatch, socket_path):
    service = HttpService()
    monkeypatch.setenv("HERMES_OBSERVER_URL", service.url)
    monkeypatch.setenv("HERMES_OBSERVER_TOKEN", "t0ken")
    yield service
    service.close()


@pytest.fixture
def plugged():
    """Registers the plugin; what it started is ended after the test."""
    from hermes_observer_forwarder import register

    contexts = []

    def plug(**options):
        context = Context(**options)
        register(context)
        contexts.append(context)
        return context

    yield plug
    from hermes_observer_forwarder.process import senders

    group = senders()
    group.finish()
    for sender in list(group._senders.values()):
        sender.pump.close()
    group._senders.clear()


@pytest.fixture
def agent(tmp_path):
    """Runs a program that has a registered `context`; what it may use stands at its top."""

    def run(source, *arguments, before="", wait=True, timeout=30, **environment):
        program = tmp_path / "agent.py"
        head = (
            "import os, sys, time, threading, json\n"
            f"sys.path[:0] = [{PACKAGE_FOLDER!r}, {TESTS_FOLDER!r}]\n"
            "from doubles import Context, turn, wait_for\n"
            "import hermes_observer_forwarder as forwarder\n"
            "from hermes_observer_forwarder.process import senders\n"
            f"{before}"
            "context = Context()\n"
            "forwarder.register(context)\n"
        )
        program.write_text(head + source)
        process = subprocess.Popen(
            [sys.executable, "-X", "dev", "-W", "ignore", str(program), *arguments],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if not wait:
            return process
        process.out, process.err = process.communicate(timeout=timeout)
        return process

    return run

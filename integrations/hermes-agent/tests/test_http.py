"""The same over HTTP, where no socket is."""

import json
import os
import shutil
import ssl
import subprocess
import time

import pytest
from doubles import TURN_RECORDS, HttpService, spooled, turn, wait_for


def test_records_arrive_with_the_token(http_service, plugged):
    turn(plugged())
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)
    assert [record["seq"] for record in http_service.records()] == list(range(1, TURN_RECORDS + 2))


def test_chunked_answers_are_read(monkeypatch, socket_path, plugged, data):
    service = HttpService(chunked=True)
    monkeypatch.setenv("HERMES_OBSERVER_URL", service.url)
    monkeypatch.setenv("HERMES_OBSERVER_TOKEN", "t0ken")
    context = plugged()
    for number in range(3):
        turn(context, number=number)
        time.sleep(0.1)
    assert wait_for(lambda: len(service.records()) == 3 * TURN_RECORDS + 1)
    assert not spooled(data)
    service.close()


def test_the_socket_is_tried_first(service, http_service, plugged):
    turn(plugged())
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    assert http_service.bodies == 0


def test_the_token_file_is_read_and_a_wrong_token_loses_nothing(http_service, plugged, data, monkeypatch):
    monkeypatch.delenv("HERMES_OBSERVER_TOKEN")
    turn(plugged())
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)
    (data / "token").write_text("t0ken\n")
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)
    assert wait_for(lambda: os.listdir(data / "forwarder") == [])


def test_busy_is_waited_out(http_service, plugged, data):
    http_service.status = 503
    http_service.headers = {"Retry-After": "1"}
    turn(plugged())
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)
    bodies = http_service.bodies
    time.sleep(0.5)
    assert http_service.bodies == bodies
    http_service.status = 200
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)


def test_too_much_at_once_is_sent_in_smaller_bodies(http_service, plugged):
    http_service.longest = 900
    turn(plugged())
    hello = 1  # Longer than that by itself: given up, and said.
    assert wait_for(lambda: len(http_service.records("on_session_end")) == 1)
    assert wait_for(lambda: http_service.records("observer_dropped"))
    assert http_service.records("observer_dropped")[0]["payload"] == {"count": hello, "reason": "too_long"}
    assert len(http_service.records()) == TURN_RECORDS + 1


def test_a_page_that_is_no_service_loses_nothing(http_service, plugged, data):
    http_service.status = 204
    turn(plugged())
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)
    http_service.status = 200
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)


def write_leftover(data, name, producer, count, age=0, cut=False):
    folder = data / "forwarder"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"seq": n, "producer": producer, "hook": "pre_llm_call", "time_unix_nano": "1", "payload": {"x": "y" * 50}})
        for n in range(1, count + 1)
    ]
    path = folder / name
    path.write_text("\n".join(lines) + "\n" + ('{"seq":99,"prod' if cut else ""))
    os.utime(path, (time.time() - age, time.time() - age))
    return path


def test_what_a_dead_process_left_is_delivered(http_service, plugged, data):
    write_leftover(data, "aa-999999-000001.ndjson", "aa", 5)
    write_leftover(data, "bb-999999-000001.ndjson.open", "bb", 3, cut=True)
    write_leftover(data, f"cc-{os.getppid()}-000001.ndjson", "cc", 2, age=100)
    write_leftover(data, f"dd-{os.getppid()}-000001.ndjson", "dd", 2)
    turn(plugged())
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1 + 10, 10)
    by_producer = {}
    for record in http_service.records():
        by_producer.setdefault(record["producer"], []).append(record["seq"])
    assert by_producer["aa"] == [1, 2, 3, 4, 5]
    assert by_producer["bb"] == [1, 2, 3]
    assert by_producer["cc"] == [1, 2]
    assert wait_for(lambda: os.listdir(data / "forwarder") == [f"dd-{os.getppid()}-000001.ndjson"])


def test_the_spool_of_a_living_process_is_left_alone(http_service, plugged, data, agent, monkeypatch):
    other = agent("turn(context)\ntime.sleep(0.3)\nprint('now', flush=True)\ntime.sleep(30)\n", wait=False, HERMES_OBSERVER_URL="")
    assert other.stdout.readline() == "now\n"
    assert len(spooled(data)) == TURN_RECORDS + 1
    turn(plugged())
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)
    time.sleep(0.5)
    assert len(http_service.records()) == TURN_RECORDS + 1
    other.kill()
    other.wait()
    other.stdout.close()
    other.stderr.close()
    assert wait_for(lambda: len(http_service.records()) == 2 * TURN_RECORDS + 2)
    assert wait_for(lambda: os.listdir(data / "forwarder") == [])


def test_a_connection_that_was_closed_while_idle_costs_nothing(http_service, plugged, data):
    http_service.server.RequestHandlerClass.timeout = 0.3
    context = plugged()
    turn(context)
    assert wait_for(lambda: len(http_service.records()) == TURN_RECORDS + 1)
    time.sleep(1.5)
    turn(context, number=2)
    assert wait_for(lambda: len(http_service.records()) == 2 * TURN_RECORDS + 1, 1)
    assert not spooled(data)


def test_tls(monkeypatch, socket_path, plugged, tmp_path, data):
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl for a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate]
    subprocess.run([*command, *subject], check=True, capture_output=True)
    service = HttpService()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    service.server.socket = context.wrap_socket(service.server.socket, server_side=True)
    monkeypatch.setenv("HERMES_OBSERVER_URL", f"https://127.0.0.1:{service.port}")
    monkeypatch.setenv("HERMES_OBSERVER_TOKEN", "t0ken")
    agent = plugged()
    turn(agent)
    assert wait_for(lambda: len(spooled(data)) == TURN_RECORDS + 1)
    assert service.records() == []
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    assert wait_for(lambda: len(service.records()) == TURN_RECORDS + 1)
    service.close()

"""Stand-ins for what is around the forwarder: the agent's context, and services that behave and that do not."""

import json
import os
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Context:
    """What an agent hands to `register`."""

    def __init__(self, profile="default", settings=None):
        self.profile_name = profile
        self.settings = settings or {}
        self.hooks = {}
        self.unload = []

    def register_hook(self, name, callback):
        self.hooks.setdefault(name, []).append(callback)

    def get_config(self, key, default=None):
        return self.settings.get(key, default)

    def on_unload(self, callback):
        self.unload.append(callback)

    def call(self, hook, **arguments):
        arguments.setdefault("telemetry_schema_version", "hermes.observer.v1")
        results = [callback(**arguments) for callback in self.hooks.get(hook, ())]
        assert all(result is None for result in results)


class Service:
    """A unix socket that speaks the protocol. `mode` says how: `ok`, `mute` (reads, never acknowledges), `deaf` (accepts,
    never reads), `nonsense`, `flood` (a line without an end), `slam` (closes at once), `lies` (acknowledges too much), `picky` (refuses what
    `refuses` is true of)."""

    def __init__(self, path, mode="ok"):
        self.path = str(path)
        self.mode = mode
        self.lines = []
        self.refuses = lambda record: False
        # Lines of each connection so far.
        self.read = {}
        # Numbers of what was acknowledged.
        self.kept = set()
        self.connections = []
        self.accepted = 0
        self._open()

    def _open(self):
        self.listener = socket.socket(socket.AF_UNIX)
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener.bind(self.path)
        self.listener.listen(64)
        self.is_open = True
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.accepted += 1
            self.connections.append(connection)
            if self.mode == "slam":
                connection.close()
            elif self.mode != "deaf":
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        rest = b""
        try:
            if self.mode == "flood":
                while True:
                    connection.sendall(b"x" * 65536)
            while True:
                data = connection.recv(1 << 20)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                records = [json.loads(line) for line in lines]
                self.lines += records
                if not records:
                    continue
                ack = {"ack": {"producer": records[-1].get("producer"), "seq": records[-1].get("seq")}}
                if self.mode == "picky":
                    self._pick(connection, records)
                elif self.mode == "ok":
                    self.kept.update(record["seq"] for record in records)
                    connection.sendall(json.dumps(ack).encode() + b"\n")
                elif self.mode == "lies":
                    connection.sendall(b'{"ack":{"producer":"%s","seq":1e99}}\n' % records[-1]["producer"].encode())
                    connection.sendall(b'{"ack":{"producer":"%s","seq":999999}}\n' % records[-1]["producer"].encode())
                elif self.mode == "nonsense":
                    connection.sendall(
                        b'<html>\n\x00\xff\n[]\n{"ack":7}\n{"ack":{"producer":"x","seq":true}}\n{"pause":"no"}\nnull\n'
                        b'{"error":{"code":"X"}}\n' + b"[" * 5000 + b"\n"
                    )
        except OSError:
            return

    def _pick(self, connection, records):
        """Takes no record that `refuses` is true of: tells the line, acknowledges up to the last one that is good."""
        for record in records:
            line = self.read[connection] = self.read.get(connection, 0) + 1
            if self.refuses(record):
                error = {"error": {"code": "HO_RECORD_SHAPE", "message": "no", "line": line}}
                connection.sendall(json.dumps(error).encode() + b"\n")
            else:
                self.kept.add(record["seq"])
                ack = {"ack": {"producer": record["producer"], "seq": record["seq"]}}
                connection.sendall(json.dumps(ack).encode() + b"\n")

    def tell(self, value):
        for connection in self.connections:
            connection.sendall(json.dumps(value).encode() + b"\n")

    def records(self, hook=None):
        """Each record once, in order of arrival."""
        seen = set()
        found = []
        for record in list(self.lines):
            key = record["producer"], record["seq"]
            if key not in seen and (hook is None or record["hook"] == hook):
                found.append(record)
            seen.add(key)
        return found

    def close(self):
        self.is_open = False
        # A thread inside accept() keeps a closed socket alive.
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()
        self.connections = []
        if os.path.exists(self.path):
            os.unlink(self.path)

    def reopen(self, mode="ok"):
        self.mode = mode
        self._open()


class HttpService:
    """`POST /v1/records` as the service answers it; `status` other than 200 refuses."""

    def __init__(self, token="t0ken", status=200, chunked=False, port=0):
        self.lines = []
        self.bodies = 0
        self.status = status
        self.headers = {}
        self.longest = None
        self.refuses = lambda record: False
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                owner.bodies += 1
                status = owner.status
                if self.path != "/v1/records":
                    status = 404
                elif self.headers.get("authorization") != f"Bearer {token}":
                    status = 401
                elif owner.longest is not None and len(body) > owner.longest:
                    status = 413
                answer = b"{}"
                if status == 200:
                    records = [json.loads(line) for line in body.splitlines()]
                    owner.lines += records
                    good = [record for record in records if not owner.refuses(record)]
                    acks = {record["producer"]: record["seq"] for record in good}
                    errors = [{"line": 1, "code": "HO_RECORD_SHAPE", "message": "no"}] * (len(records) - len(good))
                    answer = json.dumps(
                        {
                            "acks": [{"producer": p, "seq": s} for p, s in acks.items()],
                            "records": len(good),
                            "errors": errors[:100],
                        }
                    ).encode()
                self.send_response(status)
                for name, value in owner.headers.items():
                    self.send_header(name, value)
                if chunked:
                    self.send_header("transfer-encoding", "chunked")
                    self.end_headers()
                    half = len(answer) // 2 or 1
                    for part in (answer[:half], answer[half:]):
                        if part:
                            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                    self.wfile.write(b"0\r\n\r\n")
                else:
                    self.send_header("content-length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    records = Service.records

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def wait_for(condition, seconds=5.0):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return bool(condition())


def spooled(data):
    """Records in the spool of a data folder, in the order a service reads them; each once."""
    while True:
        try:
            return _spooled(os.path.join(str(data), "forwarder"))
        except FileNotFoundError:  # It was renamed just now.
            continue


def _spooled(folder):
    found, seen = [], set()
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), "rb") as file:
            for line in file:
                record = json.loads(line)
                key = record["producer"], record["seq"]
                if key not in seen:
                    found.append(record)
                seen.add(key)
    return found


def turn(context, session="s1", number=1, tools=2):
    """The hook calls of one turn, shaped like an agent's."""
    turn_id = f"{session}:task:{number:08x}"
    ids = {"session_id": session, "task_id": "task", "turn_id": turn_id, "platform": "cli", "model": "m"}
    request = {**ids, "api_request_id": f"{turn_id}:api:1", "provider": "p", "base_url": "https://u:p@host:1/v1?k=1"}
    context.call("pre_llm_call", **ids, user_message="a secret question", conversation_history=[{"role": "user"}])
    context.call("pre_api_request", **request, request={"body": {"messages": ["secret"]}}, message_count=1)
    context.call("post_api_request", **request, response={"x": "secret"}, usage={"prompt_tokens": 5}, finish_reason="stop")
    for index in range(tools):
        call = {**ids, "tool_call_id": f"call_{index}", "tool_name": "terminal", "args": {"command": "secret"}}
        context.call("pre_tool_call", **call)
        context.call("post_tool_call", **call, result="secret result", status="ok", duration_ms=3)
    context.call("post_llm_call", **ids, assistant_response="secret answer")
    context.call("on_session_end", **ids, completed=True, turn_exit_reason="text_response(finish_reason=stop)")
    return 6 + 2 * tools - 1


TURN_RECORDS = 9

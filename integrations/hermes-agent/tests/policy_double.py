"""A service that decides, and services that do not: what stands behind a socket for the tests of policy."""

import json
import os
import socket
import sys
import threading
import time
import types
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def allow(question):
    if question["hook"] == "transform_tool_result":
        return {"value": question["payload"]["result"], "policy": "mine"}
    return {"decision": "allow", "args": question["payload"].get("args", {}), "by": ["policy"]}


def deny(question):
    return {"decision": "block", "args": question["payload"]["args"], "reason": "not on a Friday", "kind": "denied", "by": ["p"]}


class PolicyService:
    """Takes records and answers questions over one socket, as the service does: one connection may have several questions open.
    `decide(question)` gives the answer, or None for none. `mode`: `ok`, `deaf` (accepts, never reads), `mute` (answers nothing),
    `busy` (answers `sync` and no question), `garbage`, `slam` (closes at once), `flood`, `error` (refuses the line), `stopping`.
    """

    def __init__(self, path, decide=allow, mode="ok"):
        self.path = str(path)
        self.decide = decide
        self.mode = mode
        self.questions = []
        self.records = []
        self.asking = set()
        self.stale = ()
        self._open = []
        self.start()

    def start(self):
        self.listener = socket.socket(socket.AF_UNIX)
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.listener.bind(self.path)
        self.listener.listen(128)
        threading.Thread(target=self._accept, args=(self.listener,), daemon=True).start()

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self._open.append(connection)
            if self.mode == "slam":
                connection.close()
            elif self.mode != "deaf":
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        writing = threading.Lock()

        def say(value):
            with writing:
                try:
                    connection.sendall(value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n")
                except OSError:
                    pass

        rest, count = b"", 0
        while True:
            try:
                data = connection.recv(1 << 20)
            except OSError:
                return
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                count += 1
                self._take(connection, json.loads(line), count, say)

    def _take(self, connection, value, count, say):
        if value.get("op") == "sync":
            if self.mode == "busy":
                say({"synced": value["id"]})
        elif value.get("op") != "ask":
            self.records.append(value)
            say({"ack": {"producer": value["producer"], "seq": value["seq"]}})
        else:
            self.questions.append(value)
            self.asking.add(connection)
            threading.Thread(target=self._answer, args=(value, count, say), daemon=True).start()

    def _answer(self, question, count, say):
        mode = self.mode
        if mode == "garbage":
            say(b"<html>\x00\xff nothing\n")
        elif mode == "flood":
            for _ in range(2000):
                say(b"x" * 65536)
        elif mode == "error":
            say({"error": {"code": "HO_REQUEST", "message": "no", "line": count}})
        elif mode == "stopping":
            say({"error": {"code": "HO_SERVICE_STOPPING", "message": "stopping"}})
        elif mode == "ok":
            answer = self.decide(question)
            for old in self.stale:
                say({"answer": old, **allow(question)})
            if answer is not None:
                say({"answer": question["id"], **answer})

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for connection in self._open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()
        self._open = []
        if os.path.exists(self.path):
            os.unlink(self.path)


class AskOverHttp:
    """`POST /v1/ask` and `/healthz` as the service answers them. `delay` seconds before each answer."""

    def __init__(self, decide=allow, token="t0ken", status=200):
        self.questions, self.connections, self.delay, self.status, self.decide = [], set(), 0, status, decide
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                self._say(200, b"{}")

            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                owner.connections.add(self.client_address)
                if self.headers.get("authorization") != f"Bearer {token}":
                    return self._say(401, b"{}")
                if self.path != "/v1/ask":
                    return self._say(200, b'{"acks":[],"records":0,"errors":[]}')
                question = json.loads(body)
                owner.questions.append(question)
                time.sleep(owner.delay)
                return self._say(owner.status, json.dumps({"answer": question["id"], **owner.decide(question)}).encode())

            def _say(self, status, body):
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Host:
    """The agent's side of `pre_tool_call`, as its sources have it: what would run, or why nothing does."""

    def __init__(self, context, merges=True):
        self.callbacks = context.hooks["pre_tool_call"]
        self.merges = merges

    def run(self, args, tool="terminal", **ids):
        """(message of the block, arguments that run)"""
        found = {"turn_id": "t", "session_id": "s", "task_id": "s", "tool_call_id": "c", "api_request_id": "r", **ids}
        results = [callback(tool_name=tool, args=args, middleware_trace=[], **found) for callback in self.callbacks]
        merged, blocks = None, []
        for result in results:
            if not isinstance(result, dict):
                continue
            if result["action"] == "modify" and self.merges:
                merged = {**(args if merged is None else merged), **result["args"]} if result["args"] else merged
            elif result["action"] in ("block", "approve"):
                blocks.append(result)
        if blocks and blocks[0]["action"] == "block":
            return blocks[0]["message"], None
        self.approval = blocks[0] if blocks else None
        return None, args if merged is None else merged


def pretend_host(monkeypatch, merges=True, approves=True, limit=None):
    """Puts a module where the agent's is, with what the plugin looks for in it."""
    module = types.ModuleType("hermes_cli.plugins")
    if approves:
        module.resolve_pre_tool_block = lambda *a, **k: None
    if merges:
        module._dispatch_pre_tool_call_hooks = lambda *a, **k: None
    if limit is not None:
        module._resolve_hook_callback_timeout = limit if callable(limit) else lambda: limit
    monkeypatch.setitem(sys.modules, "hermes_cli.plugins", module)

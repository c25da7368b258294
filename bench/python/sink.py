"""Takes whatever contestants send: `sink.py SOCKET` prints its HTTP port. In a process of its own.

A line on stdin sets how it behaves: `ok`, or `hang` (connections are taken and nothing is read or answered).
"""

import json
import os
import re
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODE = {"is": "ok"}
_NAMED = re.compile(rb'"seq":(\d+),"producer":"(\w+)"')


def wait_while_hanging():
    while MODE["is"] == "hang":
        time.sleep(0.05)


class Taker(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        wait_while_hanging()
        self.rfile.read(int(self.headers.get("content-length") or 0))
        answer = b"" if "protobuf" in self.headers.get("content-type", "") else b"{}"
        self.send_response(200)
        self.send_header("content-type", self.headers.get("content-type", "application/json"))
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST


def serve_socket(path):
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=acknowledge, args=(connection,), daemon=True).start()


def acknowledge(connection):
    rest = b""
    try:
        while True:
            wait_while_hanging()
            data = connection.recv(1 << 20)
            if not data:
                return
            rest += data
            end = rest.rfind(b"\n")
            if end < 0:
                continue
            named = _NAMED.findall(rest[:end])
            rest = rest[end + 1 :]
            ack = {"ack": {"producer": named[-1][1].decode(), "seq": int(named[-1][0])}}
            connection.sendall(json.dumps(ack).encode() + b"\n")
    except OSError:
        return


def main():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Taker)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=serve_socket, args=(sys.argv[1],), daemon=True).start()
    print(server.server_address[1], flush=True)
    for line in sys.stdin:
        MODE["is"] = line.strip()
        print("done", flush=True)


if __name__ == "__main__":
    main()

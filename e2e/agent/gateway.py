"""`hermes gateway run` with the API server and the loopback chat platform."""
import http.client
import json
import os
import signal
import socket
import time

KEY = "garden-lab-key-0123456789abcdef"


class Gateway:
    def __init__(self, r):
        self.r = r
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.inp, self.outp = r.base + "/in.ndjson", r.base + "/sent.ndjson"
        open(self.inp, "w").close()
        open(self.outp, "w").close()
        r.env.update(API_SERVER_ENABLED="true", API_SERVER_KEY=KEY, API_SERVER_PORT=str(self.port), API_SERVER_HOST="127.0.0.1",
                     LABCHAT_IN=self.inp, LABCHAT_OUT=self.outp, LABCHAT_ALLOW_ALL_USERS="true", TERMINAL_CWD=r.cwd)
        self.p = r.hermes("gateway", "run", wait=False)
        for _ in range(450):
            try:
                if self.req("GET", "/health")[0] == 200:
                    break
            except OSError:
                pass
            time.sleep(0.1)
        else:
            print("  gateway did not start")
        time.sleep(1)

    def req(self, method, path, body=None, headers=None, timeout=90):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        c.request(method, path, json.dumps(body) if body is not None else None,
                  {"Authorization": "Bearer " + KEY, "Content-Type": "application/json", **(headers or {})})
        x = c.getresponse()
        data = x.read()
        c.close()
        try:
            return x.status, json.loads(data)
        except ValueError:
            return x.status, data[:3000].decode("utf-8", "replace")

    def ask(self, text, session=None, **kw):
        h = {"X-Hermes-Session-Id": session} if session else {}
        st, out = self.req("POST", "/v1/chat/completions", dict(model="hermes-agent", messages=[{"role": "user", "content": text}], **kw), h)
        print("  api", st, str(out)[:200].replace("\n", " "))
        return out

    def say(self, text, chat="garden", **kw):
        with open(self.inp, "a") as f:
            f.write(json.dumps({"chat": chat, "text": text, **kw}) + "\n")

    def sent(self):
        with open(self.outp) as f:
            return [json.loads(x) for x in f]

    def close(self, sig=signal.SIGTERM, timeout=40):
        self.p.send_signal(sig)
        try:
            self.p.wait(timeout)
        except Exception:
            print("  gateway still alive, SIGKILL", self.p.pid)
            self.p.kill()
            self.p.wait()
        for m in self.sent():
            print("   sent", m["chat"], m["text"][:110].replace("\n", " | "))

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.close()

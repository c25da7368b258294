"""One run of the agent: a fresh home, a work folder, and the scripted model. Runs inside sandbox.sh."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time

HOME = os.path.expanduser("~")
LAB = os.path.join(HOME, "lab")
OUT = os.path.join(HOME, "out")
PY = os.path.join(HOME, "venv/bin/python")

CONFIG = """\
model:
  provider: custom
  default: {model}
  base_url: http://127.0.0.1:{port}{base_path}
  api_key: mock-key
  context_length: {ctx}
  {model_extra}
plugins:
  enabled: [recorder, policy, labchat, hermes-observer]
approvals:
  mode: manual
  timeout: {approval_timeout}
  {approvals_extra}
auxiliary:
  title_generation:
    enabled: {titles}
  background_review:
    enabled: {review}
memory:
  memory_enabled: true
  user_profile_enabled: false
  nudge_interval: {nudge}
skills:
  creation_nudge_interval: {nudge}
display:
  streaming: {streaming}
updates:
  check: false
telemetry:
  shared_metrics:
    enabled: false
    send: false
    offer_version: 2
{extra}
"""


class Run:
    """One recording: fresh HERMES_HOME, work folder and mock server."""

    def __init__(self, name, model="mock-large", streaming=False, titles=False, review=False, nudge=0,
                 ctx=131072, approval_timeout=60, approvals_extra="", extra="", env=None, surface=None, stream_hooks=False,
                 mock="mock_llm.py", base_path="/v1", model_extra=""):
        self.name = name
        self.base = os.path.join(HOME, "w")
        shutil.rmtree(self.base, ignore_errors=True)
        self.hh = os.path.join(HOME, ".hermes")
        shutil.rmtree(self.hh, ignore_errors=True)
        self.cwd = os.path.join(HOME, "project")
        shutil.rmtree(self.cwd, ignore_errors=True)
        for d in (self.base, self.hh + "/plugins", self.cwd):
            os.makedirs(d)
        for p in ("recorder", "policy", "labchat"):
            shutil.copytree(f"{LAB}/plugins/{p}", f"{self.hh}/plugins/{p}")
        shutil.copytree(os.path.join(HOME, "plugin"), f"{self.hh}/plugins/hermes-observer")
        with open(self.cwd + "/notes.txt", "w") as f:
            f.write("Water the green beans.\nSweep the garden path.\nPaint the fence.\n")
        with open(self.cwd + "/colors.txt", "w") as f:
            f.write("green\nblue\nyellow\n")
        os.makedirs(self.cwd + "/scratch-folder")
        self.raw = f"{OUT}/{name}.ndjson"
        if os.path.exists(self.raw):
            os.unlink(self.raw)
        self.logs = f"{OUT}/logs"
        os.makedirs(self.logs, exist_ok=True)
        for s in (".mock.log", ".out", ".err"):
            if os.path.exists(f"{self.logs}/{name}{s}"):
                os.unlink(f"{self.logs}/{name}{s}")
        self.mock = subprocess.Popen([sys.executable, f"{LAB}/{mock}", "--log", f"{self.logs}/{name}.mock.log"],
                                     stdout=subprocess.PIPE, text=True, env=dict(os.environ, **(env or {})))
        self.port = int(self.mock.stdout.readline())
        with open(self.hh + "/config.yaml", "w") as f:
            f.write(CONFIG.format(model=model, base_path=base_path, model_extra=model_extra, port=self.port, ctx=ctx, approval_timeout=approval_timeout, approvals_extra=approvals_extra,
                                  titles=str(titles).lower(), review=str(review).lower(), nudge=nudge,
                                  streaming=str(streaming).lower(), extra=extra.replace("{port}", str(self.port))))
        self.env = dict(os.environ, HERMES_HOME=self.hh, HERMES_RECORDER_FILE=self.raw,
                        HERMES_OBSERVER_SOCKET=f"{OUT}/run/observer.sock", HERMES_OBSERVER_DATA=f"{OUT}/data")
        if surface:
            self.env["HERMES_RECORDER_SURFACE"] = surface
        if stream_hooks:
            self.env["HERMES_RECORDER_STREAM"] = "1"
        self.env.update(env or {})

    def hermes(self, *args, timeout=90, wait=True, stdin=subprocess.DEVNULL):
        out = open(f"{self.logs}/{self.name}.out", "ab")
        p = subprocess.Popen([PY, "-m", "hermes_cli.main", *args], cwd=self.cwd, env=self.env, stdin=stdin,
                             stdout=out, stderr=out, start_new_session=True)
        if not wait:
            return p
        try:
            p.wait(timeout)
        except subprocess.TimeoutExpired:
            print(f"  {self.name}: timeout, stopping pid {p.pid}")
            p.terminate()
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()
        return p

    def chat(self, prompt, *args, **kw):
        return self.hermes("chat", "-q", prompt, "-Q", *args, **kw)

    def script(self, path, *args, timeout=120):
        out = open(f"{self.logs}/{self.name}.out", "ab")
        p = subprocess.Popen([PY, path, *args], cwd=self.cwd, env=dict(self.env, MOCK_PORT=str(self.port)),
                             stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        try:
            p.wait(timeout)
        except subprocess.TimeoutExpired:
            print(f"  {self.name}: timeout, stopping pid {p.pid}")
            p.kill()
            p.wait()
        return p

    def profile(self, name, plugins):
        """A profile beside the first one, with the same configuration but for its plugins."""
        home = f"{self.hh}/profiles/{name}"
        shutil.copytree(os.path.join(HOME, "plugin"), f"{home}/plugins/hermes-observer")
        with open(self.hh + "/config.yaml") as f:
            head, rest = f.read().split("plugins:\n", 1)
        with open(home + "/config.yaml", "w") as f:
            f.write(head + rest.split("\n", 1)[1] + plugins)

    def script_output(self, path, *args, timeout=60):
        """Runs a program with the agent's interpreter: its process, and its last line."""
        done = subprocess.run([PY, path, *args], cwd=self.cwd, env=dict(self.env, MOCK_PORT=str(self.port)), timeout=timeout,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with open(f"{self.logs}/{self.name}.out", "a") as out:
            out.write(done.stdout + done.stderr)
        return done, (done.stdout.strip().splitlines() or [""])[-1]

    def events(self):
        try:
            with open(self.raw, encoding="utf-8") as f:
                return [json.loads(x) for x in f if x.endswith("\n")]
        except FileNotFoundError:
            return []

    def wait_for(self, pred, timeout=40):
        end = time.time() + timeout
        while time.time() < end:
            try:
                if any(pred(e) for e in self.events()):
                    return True
            except ValueError:
                pass
            time.sleep(0.05)
        return False

    def close(self):
        self.mock.send_signal(signal.SIGTERM)
        self.mock.wait(5)
        if os.environ.get("KEEP_LOGS") != "0" and os.path.isdir(self.hh + "/logs"):
            shutil.copytree(self.hh + "/logs", f"{self.logs}/{self.name}.hermes", dirs_exist_ok=True)
        hooks = [e["hook"] for e in self.events()]
        print(f"{self.name}: {len(hooks)} events", flush=True)

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.close()

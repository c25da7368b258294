"""Processes of the benchmark: contestants, and the sink they send to."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from contestants import HERE, PEERS, environment


class Sink:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ho-bench-")
        self.socket = os.path.join(self.folder, "s")
        self._process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "sink.py"), self.socket],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.url = f"http://127.0.0.1:{self._process.stdout.readline().strip()}"

    def set(self, mode):
        self._process.stdin.write(mode + "\n")
        self._process.stdin.flush()
        self._process.stdout.readline()

    def close(self):
        self._process.stdin.close()
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Contestant:
    """A contestant's process, ready for commands."""

    def __init__(self, name, python_of_peers, url, socket):
        self.name = name
        self.folder = tempfile.mkdtemp(prefix="ho-bench-")
        self._python = python_of_peers if name in PEERS else sys.executable
        self._environment = environment(name, self.folder, url, socket)
        self._process = subprocess.Popen(
            [self._python, os.path.join(HERE, "child.py"), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=self._environment,
        )

    def ask(self, *command):
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended")
        return json.loads(line)

    def leave(self, patience=60):
        """Seconds from its last statement until the process is gone."""
        at = self.ask("leave")["at"]
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        took = time.time() - at
        self._process.stdin.close()
        self._process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return took


def load_once(name, python_of_peers, url, socket):
    """One fresh process that imports and registers: {"ms", "mb"}."""
    folder = tempfile.mkdtemp(prefix="ho-bench-")
    done = subprocess.run(
        [python_of_peers if name in PEERS else sys.executable, os.path.join(HERE, "load.py"), name],
        env=environment(name, folder, url, socket),
        capture_output=True,
        text=True,
        check=True,
    )
    shutil.rmtree(folder, ignore_errors=True)
    return json.loads(done.stdout.splitlines()[-1])

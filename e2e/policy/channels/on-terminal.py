"""Runs a program with a terminal of its own, and its standard input from a pipe: on-terminal.py SCRIPT PROGRAM...

SCRIPT is JSON: {"stdin": text, "steps": [[wait for, type], ...], "background": bool}. Prints what stood on the terminal to standard
output; the program's own goes to the descriptor that PROGRAM_OUT names. A step may have seconds to wait before it types.
"""
import json
import os
import pty
import select
import signal
import sys
import time

script = json.loads(sys.argv[1])
read_end, write_end = os.pipe()
pid, terminal = pty.fork()
if pid == 0:
    os.close(write_end)
    if script.get("background"):
        # A shell keeps the terminal; the program has a group of its own, as with `&`.
        program = os.fork()
        if program != 0:
            _, status = os.waitpid(program, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        os.setpgid(0, 0)
    os.dup2(read_end, 0)
    os.dup2(int(os.environ["PROGRAM_OUT"]), 1)
    os.execvp(sys.argv[2], sys.argv[2:])
os.close(read_end)
os.write(write_end, script["stdin"].encode())
os.close(write_end)
seen = b""
steps = list(script["steps"])
at = 0
deadline = time.time() + 30
while time.time() < deadline:
    ready, _, _ = select.select([terminal], [], [], 0.05)
    if ready:
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    if steps and steps[0][0].encode() in seen[at:]:
        at = seen.index(steps[0][0].encode(), at) + len(steps[0][0].encode())
        time.sleep(steps[0][2] if len(steps[0]) > 2 else 0)
        os.write(terminal, steps[0][1].encode())
        steps.pop(0)
else:
    os.kill(pid, signal.SIGKILL)
sys.stdout.buffer.write(seen)
sys.stdout.buffer.flush()
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)

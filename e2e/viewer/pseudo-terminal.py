"""Runs a command in a pseudo-terminal of its own, and does what standard input says, one JSON object a line.

    pseudo-terminal.py COLUMNS ROWS COMMAND [ARGUMENT...]

Takes {"keys": text}, {"size": [columns, rows]}, {"signal": name}, {"modes": true}.
Tells {"pid": n} first, then {"output": base64}, {"modes": {"echo", "lines", "signals"}} when asked, {"stopped": true} when the
command stops, and at its end {"exit": code or -signal, "modes": {...}}.
"""

import base64
import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios


def tell(**said):
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()


def set_size(descriptor, columns, rows):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def modes_of(descriptor):
    flags = termios.tcgetattr(descriptor)[3]
    return {
        "echo": bool(flags & termios.ECHO),
        "lines": bool(flags & termios.ICANON),
        "signals": bool(flags & termios.ISIG),
    }


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    command = sys.argv[3:]
    # A slave that stays open here: its modes can be read after the command has gone.
    master, slave = pty.openpty()
    set_size(master, columns, rows)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for descriptor in (0, 1, 2):
            os.dup2(slave, descriptor)
        os.close(master)
        os.close(slave)
        os.execvp(command[0], command)
    tell(pid=pid)
    asked = b""
    while True:
        ready, _, _ = select.select([master, 0], [], [], 0.02)
        if master in ready:
            tell(output=base64.b64encode(os.read(master, 65536)).decode())
        if 0 in ready:
            more = os.read(0, 65536)
            if not more:
                os.kill(pid, signal.SIGKILL)
            asked += more
            *lines, asked = asked.split(b"\n")
            for line in lines:
                wish = json.loads(line)
                if "keys" in wish:
                    os.write(master, wish["keys"].encode())
                if "size" in wish:
                    set_size(master, *wish["size"])
                if "signal" in wish:
                    os.kill(pid, getattr(signal, wish["signal"]))
                if "modes" in wish:
                    tell(modes=modes_of(slave))
        found, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if found == 0:
            continue
        if os.WIFSTOPPED(status):
            tell(stopped=True)
            continue
        while select.select([master], [], [], 0.1)[0]:
            tell(output=base64.b64encode(os.read(master, 65536)).decode())
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)
        tell(exit=code, modes=modes_of(slave))
        return


main()

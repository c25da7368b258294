"""Time and memory of importing and registering a contestant, in a process that has loaded what an agent has."""

import json
import os
import sys
import time

# Modules that the agent's own code has imported long before it comes to its plugins.
import asyncio  # noqa: F401
import dataclasses  # noqa: F401
import logging
import socket  # noqa: F401
import ssl  # noqa: F401
import subprocess  # noqa: F401
import urllib.request  # noqa: F401

from child import resident
from contestants import load

logging.disable(logging.CRITICAL)
before = resident()
begin = time.perf_counter()
load(sys.argv[1])
took = time.perf_counter() - begin
print(json.dumps({"ms": took * 1000, "mb": (resident() - before) / 1e6}), flush=True)
os._exit(0)

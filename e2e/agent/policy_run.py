"""One question to an agent whose tool calls a policy decides about. Runs inside sandbox.sh: policy_run.py NAME PROMPT [NAME=VALUE...]

The mock server's log, `out/logs/NAME.mock.log`, has what the model got to read of each call; `out/NAME.ndjson` is what another
plugin recorded, `out/NAME.files` the names of what lies in the project's folder afterwards.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import OUT, Run  # noqa: E402

name, prompt, *pairs = sys.argv[1:]
env = dict(pair.split("=", 1) for pair in pairs)
extra = env.pop("EXTRA", "")
with Run(name, surface="cli-oneshot", mock="mock_more.py", env={"HERMES_OBSERVER_POLICY": "on", **env}, extra=extra,
         approvals_extra="single_query_mode: approve") as agent:
    agent.chat(prompt)
    with open(f"{OUT}/{name}.files", "w") as file:
        file.write("\n".join(sorted(os.listdir(agent.cwd))))

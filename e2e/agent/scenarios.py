"""What a real agent is made to do. Runs inside sandbox.sh: scenarios.py NAME..."""
import json
import os
import signal
import socket
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gateway import KEY, Gateway  # noqa: E402
from harness import LAB, OUT, Run  # noqa: E402
from tui import Tui  # noqa: E402

SCENARIOS = {}


def scenario(name):
    def add(run):
        SCENARIOS[name] = run
        return run
    return add


def oneshot(name, prompt, **settings):
    def run():
        with Run(name, surface="cli-oneshot", **settings) as agent:
            agent.chat(prompt)
    SCENARIOS[name] = run


def saw(hook):
    return lambda event: event["hook"] == hook


def count(agent, hook):
    return sum(event["hook"] == hook for event in agent.events())


def until(agent, number, hook, seconds=60):
    """Waits until a hook was called so often."""
    end = time.time() + seconds
    while time.time() < end:
        if count(agent, hook) >= number:
            return
        time.sleep(0.1)
    print(f"  {agent.name}: no {number}. {hook}")


oneshot("one-turn", "[[no-tool]] What is two plus two?")
oneshot("parallel-tools", "[[parallel]] Read both files and look for green.")
oneshot("tool-blocked", "[[block]] Run the echo command.",
        env={"HERMES_POLICY": '{"terminal": {"action": "block", "message": "Commands are off in this exercise."}}'})
oneshot("retry", "[[retry-429]] Say something short.")
oneshot("three-children", "[[delegate-batch]] Use three helpers.", extra="""
delegation:
  oneshot_max_children: 10
""")
oneshot("execute-code", "[[execute-code]] Run the small script.", approvals_extra="single_query_mode: approve")


def signalled(name, number, after=1.0):
    def run():
        with Run(name, surface="cli-oneshot") as agent:
            process = agent.chat("[[slow-tool]] Wait a minute.", wait=False)
            agent.wait_for(saw("pre_tool_call"))
            time.sleep(after)
            os.kill(process.pid, number)
            try:
                process.wait(30)
            except Exception:
                process.kill()
                process.wait()
    SCENARIOS[name] = run


signalled("interrupted", signal.SIGINT)
signalled("killed", signal.SIGKILL)


@scenario("approval")
def approval():
    with Run("approval", surface="tui") as agent:
        tui = Tui(agent)
        try:
            session = tui.create()
            mark = tui.mark()
            tui.call("prompt.submit", session_id=session, text="[[dangerous]] Remove the scratch folder.")
            agent.wait_for(saw("pre_approval_request"), 40)
            time.sleep(1)
            tui.call("approval.respond", session_id=session, choice="once")
            tui.event("message.complete", 60, mark)
            tui.call("session.close", session_id=session)
        finally:
            tui.close()


def on_gateway(name, surface):
    def add(talk):
        def run():
            settings = {"approvals_extra": "destructive_slash_confirm: false", "mock": "mock_more.py"}
            with Run(name, surface=surface, **settings) as agent, Gateway(agent) as gateway:
                talk(agent, gateway)
        SCENARIOS[name] = run
        return run
    return add


@on_gateway("client-leaves", "api_server")
def client_leaves(agent, gateway):
    message = {"role": "user", "content": "[[slow-tool]] Wait a minute."}
    body = json.dumps({"model": "hermes-agent", "stream": True, "messages": [message]}).encode()
    client = socket.create_connection(("127.0.0.1", gateway.port))
    client.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + KEY.encode()
                   + b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    until(agent, 1, "pre_tool_call", 40)
    time.sleep(1.5)
    client.close()
    until(agent, 1, "on_session_end", 40)
    time.sleep(1)


@on_gateway("new-in-a-turn", "gateway")
def new_in_a_turn(agent, gateway):
    gateway.say("[[slow-tool]] Wait a minute.")
    until(agent, 1, "pre_tool_call")
    time.sleep(1.5)
    gateway.say("/new")
    until(agent, 1, "on_session_reset", 20)
    time.sleep(3)
    gateway.say("[[no-tool]] What is two plus two?")
    until(agent, 1, "post_llm_call", 30)
    time.sleep(2)


@scenario("two-profiles")
def two_profiles():
    """All use the plugin. One says in its own configuration what it is, and that content may be recorded; one says nothing."""
    with Run("two-profiles") as agent:
        agent.profile("garden", """
plugins:
  enabled: [hermes-observer]
  entries:
    hermes-observer:
      settings:
        capture: redacted
        surface: garden-desk
""")
        agent.profile("orchard", "plugins:\n  enabled: [hermes-observer]\n")
        process, said = agent.script_output(os.path.join(LAB, "two_profiles.py"))
        with open(os.path.join(OUT, "two-profiles.json"), "w") as file:
            file.write(said)
        if process.returncode != 0:
            sys.exit(f"two-profiles: exit code {process.returncode}")


if __name__ == "__main__":
    for wanted in sys.argv[1:] or list(SCENARIOS):
        began = time.time()
        SCENARIOS[wanted]()
        print(f"  {wanted} {time.time() - began:.1f}s", flush=True)

"""Who is measured, and how each is told where to send to."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FORWARDER = os.path.join(os.path.dirname(os.path.dirname(HERE)), "integrations", "hermes-agent")
PEERS = {
    "otel-tracing": ("hermes-plugin-otel-tracing==0.1.1", "hermes_plugin_otel_tracing"),
    "latitude": ("latitude-telemetry-hermes==0.3.1", "latitude_telemetry_hermes"),
}
OURS = {"ours": "none", "ours, full": "full"}
MASKED = {"ours, redacted": "redacted"}
"""As `full`, with shorter texts; measured with large values alone."""


def python_of_peers():
    """The interpreter of an environment with the peers in it, made once. None when they cannot be had."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    version = "%d.%d" % sys.version_info[:2]
    names = "-".join(package.replace("==", "-") for package, _ in PEERS.values())
    folder = os.path.join(cache, "hermes-observer-bench", f"python{version}-{names}")
    python = os.path.join(folder, "bin", "python")
    ready = os.path.join(folder, "ready")
    if not os.path.exists(ready):
        try:
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, stdout=subprocess.DEVNULL)
            packages = [package for package, _ in PEERS.values()]
            subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no peers: {error}", file=sys.stderr)
            return None
        with open(ready, "w", encoding="utf-8"):
            pass
    return python


def environment(name, folder, url, socket):
    """Environment of one contestant's process; `folder` is its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HERMES_", "OTEL_", "LATITUDE_"))}
    for proxy in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        kept.pop(proxy, None)
    return {
        **kept,
        "HOME": folder,
        "HERMES_HOME": folder,
        "NO_PROXY": "127.0.0.1",
        "HERMES_OBSERVER_DATA": f"{folder}/data",
        "HERMES_OBSERVER_SOCKET": socket,
        "HERMES_OBSERVER_CAPTURE": {**OURS, **MASKED}.get(name, "none"),
        "HERMES_OTEL_EXPORTER": "otlp",
        "HERMES_OTEL_LOG_FILE": "",
        "OTEL_EXPORTER_OTLP_ENDPOINT": url,
        "LATITUDE_API_KEY": "x",
        "LATITUDE_PROJECT": "p",
        "LATITUDE_BASE_URL": url,
    }


class Context:
    """What an agent hands to a plugin."""

    profile_name = "default"

    def __init__(self):
        self.hooks = {}

    def register_hook(self, name, callback):
        self.hooks.setdefault(name, []).append(callback)

    def get_config(self, *_):
        return None

    def on_unload(self, _):
        pass

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *_, **__: None


def load(name):
    """Imports and registers a contestant in this process."""
    context = Context()
    if name == "no-op":
        from turns import turn

        for hook in {hook for hook, _ in turn("s", 0, first=True)}:
            context.register_hook(hook, lambda **_: None)
        return context
    if name in OURS or name in MASKED:
        sys.path.insert(0, FORWARDER)
        import hermes_observer_forwarder as module
    else:
        module = __import__(PEERS[name][1])
    module.register(context)
    return context

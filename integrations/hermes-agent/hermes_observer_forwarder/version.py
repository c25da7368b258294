"""The one place where the version stands."""

VERSION = "0.1.0"

PROTOCOL = 1
"""Version of the protocol between forwarder and service."""

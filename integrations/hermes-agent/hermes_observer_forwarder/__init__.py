"""Hands the hook calls of a Hermes Agent over to `hermes-observer serve`, or to a file.

A plugin of the agent: `register(ctx)` is all the agent calls. Standard library only, Python 3.10 to 3.13.
"""

from .plugin import register
from .version import VERSION as __version__

__all__ = ["__version__", "register"]

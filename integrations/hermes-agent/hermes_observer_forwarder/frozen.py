"""A container as bytes, so that nobody can change it between the call and its encoding."""

from __future__ import annotations

import marshal


class Frozen:
    __slots__ = ("data",)

    def __init__(self, value: object) -> None:
        """Raises ValueError for what `marshal` does not take: foreign types, and what is too deep."""
        self.data = marshal.dumps(value)

    def thaw(self) -> object:
        return marshal.loads(self.data)

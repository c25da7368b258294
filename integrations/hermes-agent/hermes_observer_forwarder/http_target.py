"""The address of a service that is reached over HTTP, and a socket to it, without waiting for either."""

from __future__ import annotations

import socket
import threading


class HttpTarget:
    """`http://host:port/prefix` taken apart. Raises ValueError for what is none."""

    def __init__(self, url: str) -> None:
        from urllib.parse import urlsplit

        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("not an http or https address")
        self.is_tls = parts.scheme == "https"
        self.host = parts.hostname
        self.port = parts.port or (443 if self.is_tls else 80)
        self.prefix = parts.path.rstrip("/")
        self.path = self.prefix + "/v1/records"
        shown = f"[{self.host}]" if ":" in self.host else self.host
        self.host_header = shown if parts.port is None else f"{shown}:{parts.port}"
        self.body_bytes = 1_048_576
        self._addresses: list | None = None
        self._lookup: threading.Thread | None = None

    def addresses(self) -> list | None:
        """Socket addresses of the host, None while they are being looked up. Raises OSError when there are none."""
        if self._addresses is not None:
            found, self._addresses = self._addresses, None
            if not found:
                raise OSError("the host has no address")
            return found
        if self._lookup is None or not self._lookup.is_alive():
            try:
                return self._get(socket.AI_NUMERICHOST)
            except OSError:
                pass
            # A name server may take long, and the queue must be emptied meanwhile.
            self._lookup = threading.Thread(target=self._look_up, name="hermes-observer-lookup", daemon=True)
            try:
                self._lookup.start()
            except RuntimeError as error:  # The interpreter is shutting down.
                self._lookup = None
                raise OSError("no thread for the look-up") from error
        return None

    def _get(self, flags: int) -> list:
        return socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM, flags=flags)

    def _look_up(self) -> None:
        try:
            self._addresses = self._get(0)
        except (OSError, UnicodeError):
            self._addresses = []

    def wrap(self, plain: socket.socket) -> socket.socket:
        """The socket with TLS where the address asks for it; the handshake goes on with the first send."""
        if not self.is_tls:
            return plain
        import ssl

        context = ssl.create_default_context()
        return context.wrap_socket(plain, server_hostname=self.host, do_handshake_on_connect=False)

"""HTTP requests with a deadline for the whole reply, over connections that are kept and used again.

Standard library only. A read timeout alone would let a server that drips take for ever: the deadline counts from the first
byte sent to the last one read.
"""

from __future__ import annotations

import http.client
import os
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from kg.errors import InputError


class LateError(Exception):
    """No whole reply within the time allowed."""


class AwayError(Exception):
    """No server there, or one that is too busy. `after`: seconds that it asked to be left alone."""

    def __init__(self, said: str, after: float = 0.0) -> None:
        super().__init__(said)
        self.after = after


class Response(NamedTuple):
    """A whole reply."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


class Connections:
    """Connections to the replicas of a server, safe to use from many threads."""

    def __init__(self, urls: Sequence[str], key_variable: str, timeout: float) -> None:
        """
        Args:
            urls: base URLs. key_variable: environment variable with the API key, if there is one. timeout: seconds.
        """
        self._idle: dict[str, list[http.client.HTTPConnection]] = {url: [] for url in urls}
        self._key_variable, self._timeout = key_variable, timeout
        self._lock = threading.Lock()
        self._closed = False

    def send(self, url: str, path: str, body: bytes | None) -> Response:
        """One request and its whole reply. A kept connection that has died meanwhile is opened anew, once.

        Raises:
            LateError: the reply took longer than the timeout. AwayError: no connection, or one that broke.
        """
        deadline = time.monotonic() + self._timeout
        kept = self._kept(url)
        for connection in (kept, None) if kept else (None,):
            try:
                return self._exchange(connection or self._connect(url), url, path, body, deadline)
            except TimeoutError as error:
                raise LateError(f"timed out after {self._timeout:g} s") from error
            except (OSError, http.client.HTTPException) as error:
                if connection is None:
                    raise AwayError(f"{type(error).__name__}: {error}") from error
        raise AssertionError("unreachable")

    def close(self) -> None:
        """Close what is idle; what is in use closes when its reply is there."""
        self._closed = True
        for url in self._idle:
            while connection := self._kept(url):
                connection.close()

    def _exchange(
        self, connection: http.client.HTTPConnection, url: str, path: str, body: bytes | None, deadline: float
    ) -> Response:
        whole = False
        if connection.sock:
            connection.sock.settimeout(self._timeout)  # what the last reply left of its own time does not count
        try:
            connection.request("POST" if body else "GET", urlsplit(url).path + path, body, self._headers())
            response = connection.getresponse()
            pieces = []
            while piece := response.read1(1 << 16):
                pieces.append(piece)
                if (left := deadline - time.monotonic()) <= 0:
                    raise TimeoutError
                if connection.sock:
                    connection.sock.settimeout(left)
            response.read()  # nothing is left: this says that the reply is whole, and frees the connection
            whole = not response.will_close
            return Response(response.status, response.headers, b"".join(pieces))
        finally:
            if whole and not self._closed:
                with self._lock:
                    self._idle[url].append(connection)
            else:
                connection.close()

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        key = os.environ.get(self._key_variable, "").strip()
        return {**headers, "Authorization": f"Bearer {key}"} if key else headers

    def _connect(self, url: str) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        return kind(parts.hostname or "", parts.port, timeout=self._timeout)

    def _kept(self, url: str) -> http.client.HTTPConnection | None:
        with self._lock:
            idle = self._idle[url]
            return idle.pop() if idle else None


def checked(url: str) -> str:
    """A base URL without a slash at its end.

    Raises:
        InputError: it is none, or holds a password.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(f"urls: {url!r} is no base URL; give one such as 'http://127.0.0.1:8000/v1'")
    if parts.username or parts.password:
        raise InputError("urls: a base URL must not hold a name or password; put the key into the environment")
    return url.rstrip("/")

"""An HTTP server that goes wrong on purpose, before a real vLLM server (`upstream`) or with answers of its own.

Its own answers are one of the allowed choices, by a hash of the prompt: the same every time, as a greedy model's are.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

Fault = Callable[[int], str]  # number of the request -> what goes wrong, or ""
HTML = b"<html><body><h1>Welcome to the proxy</h1></body></html>"


class Flaky(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, fault: Fault, upstream: str | None, model: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.fault, self.upstream, self.model = fault, upstream, model
        self.count, self.lock, self.seen = 0, threading.Lock(), list[dict[str, Any]]()
        self.keys: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that gave up are no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Flaky

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        self._reply(200, json.dumps({"data": [{"id": self.server.model}]}).encode())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            number = self.server.count
            self.server.count += 1
            self.server.seen.append(json.loads(body))
            self.server.keys.append(self.headers.get("Authorization"))
        fault = self.server.fault(number)
        if fault:
            return self._go_wrong(fault)
        self._reply(*(self._forward(body) if self.server.upstream else (200, _own(json.loads(body)))))

    def _forward(self, body: bytes) -> tuple[int, bytes]:
        parts = urlsplit(self.server.upstream or "")
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        connection.request("POST", self.path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        found = response.status, response.read()
        connection.close()
        return found

    def _go_wrong(self, fault: str) -> None:
        if fault == "never":
            time.sleep(30)
            self.close_connection = True
        elif fault == "drip":
            self.send_response(200)
            self.send_header("Content-Length", "100000")
            self.end_headers()
            for _ in range(100):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
        elif fault == "reset":
            self.close_connection = True
        elif fault == "html":
            self._reply(200, HTML, "text/html")
        elif fault == "cut":
            self._reply(200, _own({"cut": True}))
        else:
            self._reply(int(fault), json.dumps({"error": {"message": f"HTTP {fault} on purpose"}}).encode())

    def _reply(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _own(payload: dict[str, Any]) -> bytes:
    said = "The answer might be" if payload.get("cut") else _chosen(payload)
    choice = {
        "message": {"role": "assistant", "content": said},
        "finish_reason": "length" if payload.get("cut") else "stop",
    }
    return json.dumps({"choices": [choice], "usage": {"prompt_tokens": 10, "completion_tokens": 1}}).encode()


def _chosen(payload: dict[str, Any]) -> str:
    allowed = payload["structured_outputs"]
    draw = hashlib.sha256(json.dumps(payload["messages"]).encode()).digest()[0]
    return allowed["choice"][draw % len(allowed["choice"])] if "choice" in allowed else '{"flaws": []}'


@contextmanager
def flaky(fault: Fault = lambda number: "", upstream: str | None = None, model: str = "a-model") -> Iterator[Flaky]:
    """A server for the length of a block."""
    server = Flaky(fault, upstream, model)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

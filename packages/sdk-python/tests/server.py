"""A real HTTP server that gives prepared answers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Received:
    method: str
    path: str
    headers: dict[str, str]
    body: str
    at: float = field(default_factory=time.monotonic)


@dataclass
class Server:
    origin: str
    received: list[Received]

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"


@contextmanager
def serve(*answers: Answer) -> Iterator[Server]:
    """A server that gives these answers in turn, the last one again and again."""
    received: list[Received] = []

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            received.append(Received(self.command, self.path, headers, body))
            answers[min(len(received), len(answers)) - 1](self)

        do_GET = do_POST = do_PATCH = do_DELETE = handle_one

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_address[1]}", received)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer(status: int, body: Any, headers: dict[str, str] | None = None) -> Answer:
    content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    kind = "text/html" if isinstance(body, str) else "application/json"

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(content)), **(headers or {})}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(content)

    return send


def problem(status: int, code: str, headers: dict[str, str] | None = None, **members: Any) -> Answer:
    body = {"type": "about:blank", "title": "A title", "status": status, "detail": "A detail.", "code": code}
    return answer(status, {**body, "request_id": "r-1", **members}, headers)


def break_off(handler: BaseHTTPRequestHandler) -> None:
    """Closes the connection without an answer."""
    handler.close_connection = True


def break_body(handler: BaseHTTPRequestHandler) -> None:
    """Closes the connection in the middle of the body."""
    handler.send_response(201)
    handler.send_header("content-length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"id"')
    handler.close_connection = True


def hang(handler: BaseHTTPRequestHandler) -> None:
    """Answers nothing for longer than any test waits."""
    time.sleep(2)
    handler.close_connection = True

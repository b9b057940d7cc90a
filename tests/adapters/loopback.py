"""A server of a few lines on the loopback address that answers as a test says, or hangs up."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


# The whole answer as it goes over the wire; none hangs up.
Respond = Callable[[Request], bytes | None]


@dataclass(slots=True)
class Loopback:
    """A running server."""

    url: str
    requests: list[Request] = field(default_factory=list)


def answer(status: int, body: bytes = b"", **headers: str) -> bytes:
    fields = {"Content-Length": str(len(body)), "Connection": "close"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(head).encode() + body


def in_turn(*answers: bytes | None) -> Respond:
    rest = iter(answers)
    return lambda _: next(rest)


def forward(request: Request, to: str) -> None:
    """Have it done by the real server, and keep the answer to ourselves."""
    connection = http.client.HTTPConnection(urlsplit(to).netloc, timeout=10)
    headers = {name: value for name, value in request.headers.items() if name.lower() != "expect"}
    try:
        connection.request(request.method, request.path, request.body, headers)
        done = connection.getresponse()
        done.read()
        assert done.status == 200
    finally:
        connection.close()


@contextmanager
def loopback(respond: Respond) -> Iterator[Loopback]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            understood = bool(self.raw_requestline) and self.parse_request()
            self.close_connection = True
            if not understood:
                return
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            request = Request(self.command, self.path, dict(self.headers), body)
            running.requests.append(request)
            said = respond(request)
            if said is not None:
                self.wfile.write(said)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        running = Loopback(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield running
        finally:
            server.shutdown()
            thread.join()

"""HTTP/1.1 on the wire: a request read, an answer written."""

from __future__ import annotations

import socket
from http import HTTPStatus
from io import BufferedIOBase
from urllib.parse import unquote

from tests.stand_ins.paperless.messages import Request, Response

LONGEST_LINE = 65_536
_PHRASES = {status.value: status.phrase for status in HTTPStatus}


class BadRequest(ValueError):
    """Not HTTP, or not all of it."""


def read(stream: BufferedIOBase, connection: socket.socket) -> Request | None:
    """The next request, or nothing once the client has hung up."""
    line = stream.readline(LONGEST_LINE)
    if not line.strip():
        return None
    try:
        method, target, _ = line.decode("latin-1").split()
    except ValueError:
        raise BadRequest(line) from None
    headers = _headers(stream)
    if headers.get("expect", "").lower() == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    path, _, query = target.partition("?")
    return Request(method, unquote(path), query, headers, _body(stream, headers))


def _headers(stream: BufferedIOBase) -> dict[str, str]:
    headers: dict[str, str] = {}
    while (line := stream.readline(LONGEST_LINE)) not in (b"\r\n", b"\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers


def _body(stream: BufferedIOBase, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return _chunks(stream)
    length = int(headers.get("content-length") or 0)
    body = stream.read(length) if length else b""
    if len(body) < length:
        raise BadRequest("the client hung up in the middle of its request")
    return body


def _chunks(stream: BufferedIOBase) -> bytes:
    pieces = []
    while size := int(stream.readline(LONGEST_LINE).partition(b";")[0], 16):
        pieces.append(stream.read(size))
        stream.readline(LONGEST_LINE)
    while stream.readline(LONGEST_LINE).strip():
        pass
    return b"".join(pieces)


def written(request: Request, response: Response, *, last: bool) -> bytes:
    """HEAD and 204 have no body; the length is that of the body there would be."""
    lines = [f"HTTP/1.1 {response.status} {_PHRASES.get(response.status, 'Unknown')}"]
    lines += [f"{name}: {value}" for name, value in response.headers.items()]
    if response.status != HTTPStatus.NO_CONTENT:
        lines.append(f"Content-Length: {len(response.body)}")
    if last:
        lines.append("Connection: close")
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
    return head if request.method == "HEAD" else head + response.body

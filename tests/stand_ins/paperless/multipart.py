"""Takes a multipart/form-data body apart."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from email.message import Message

from tests.stand_ins.paperless.messages import Request, detail

_NAME = re.compile(r'(?<!file)name="((?:[^"\\]|\\.)*)"', re.IGNORECASE)
_FILE_NAME = re.compile(r'filename="((?:[^"\\]|\\.)*)"', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Part:
    """One field; a part without a file name is text."""

    name: str
    file_name: str | None
    content: bytes


def parse(request: Request) -> list[Part]:
    boundary = _boundary(request)
    body, delimiter = request.body, b"--" + boundary
    parts: list[Part] = []
    position = body.find(delimiter)
    while position >= 0:
        begin = position + len(delimiter)
        if body[begin : begin + 2] == b"--":
            return parts
        end = body.find(b"\r\n" + delimiter, begin)
        if end < 0:
            break
        part = _part(body, begin + 2, end)
        if part is not None:
            parts.append(part)
        position = end + 2
    return parts


def _boundary(request: Request) -> bytes:
    header = Message()
    header["Content-Type"] = request.headers.get("content-type", "")
    boundary = header.get_param("boundary")
    if not isinstance(boundary, str) or not boundary:
        raise detail("Multipart form parse error - Invalid boundary in multipart: None", 400)
    return boundary.encode("latin-1")


def _part(body: bytes, begin: int, end: int) -> Part | None:
    """Nothing, if it has no name or is a file without one."""
    blank = body.find(b"\r\n\r\n", begin, end + 4)
    if blank < 0:
        return None
    head = body[begin:blank].decode("utf-8", "replace")
    disposition = next((line for line in head.split("\r\n") if line.lower().startswith("content-disposition")), "")
    name, file_name = _NAME.search(disposition), _FILE_NAME.search(disposition)
    if name is None:
        return None
    content = body[blank + 4 : end]
    if file_name is None:
        return Part(_unquoted(name[1]), None, content)
    cleaned = bare_name(_unquoted(file_name[1]))
    return Part(_unquoted(name[1]), cleaned, content) if cleaned else None


def _unquoted(text: str) -> str:
    """Browsers and httpx write a quote as %22, curl as a backslash and a quote."""
    return text.replace('\\"', '"').replace("%22", '"')


def bare_name(name: str) -> str:
    """The last part of a path, whatever slash was used."""
    last = html.unescape(name).replace("\\", "/").rpartition("/")[2]
    return "".join(letter for letter in last if letter.isprintable()).strip()

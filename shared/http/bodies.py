"""How much of a request's body is read, and what becomes of the rest."""

from __future__ import annotations

import io
import math
from contextlib import suppress
from typing import TYPE_CHECKING

from werkzeug.exceptions import HTTPException

from shared.domain.errors import TooLarge

if TYPE_CHECKING:
    from typing import IO

    from _typeshed import WriteableBuffer
    from flask import Request, Response

MOST_DISCARDED = 64 * 1024 * 1024
CHUNK = 64 * 1024


class Measured(io.RawIOBase):
    """A body of unknown length that refuses to be larger than allowed.

    Werkzeug's own limit does not do: a read of the whole body ends at it, as if the rest had never been sent.
    """

    def __init__(self, source: IO[bytes], most: float) -> None:
        super().__init__()
        self._source = source
        self._read = 0
        self.most = most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)
        data = self._source.read(len(view))
        self._read += len(data)
        if self._read > self.most:
            raise TooLarge(_sentence(self.most))
        view[: len(data)] = data
        return len(data)


def limit(request: Request, most: int) -> None:
    """Refuse a body that says it is too large, and one that turns out to be while it is read."""
    if (request.content_length or 0) > most:
        raise TooLarge(_sentence(most))
    if "wsgi.input_terminated" in request.environ:  # gunicorn ends the stream itself, so that it may be chunked
        request.environ["wsgi.input"] = Measured(request.environ["wsgi.input"], most)


def release(request: Request, response: Response) -> None:
    """Throw away what the handler left of the body, without ever holding it.

    functions-framework would read it into memory at once and turn one over the limit into a 500, but leaves a
    streamed response alone. Left unread, it makes clients that are still sending miss the answer.
    """
    if response.is_streamed:
        return
    if isinstance(body := request.environ["wsgi.input"], Measured):
        body.most = math.inf
    left = MOST_DISCARDED
    with suppress(HTTPException, OSError):
        while left > 0 and (chunk := request.stream.read(CHUNK)):
            left -= len(chunk)
    response.response = response.iter_encoded()


def _sentence(most: float) -> str:
    return f"The body is larger than the {most} bytes we take."

"""An object fetched range by range, in constant memory."""

from __future__ import annotations

import io
from collections.abc import Callable

from typing_extensions import Buffer


class Download(io.RawIOBase):
    """An object fetched range by range; to be buffered by the reader, whose buffer is the size of a range."""

    def __init__(self, size: int, fetch: Callable[[int, int], bytes]) -> None:
        self._size = size
        self._fetch = fetch
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        data = self._next(len(view))
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return self._next(self._size)

    def _next(self, count: int) -> bytes:
        end = min(self._position + count, self._size)
        if end == self._position:
            return b""
        data = self._fetch(self._position, end - 1)
        self._position += len(data)
        return data

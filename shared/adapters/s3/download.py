"""An object's bytes as a stream, in constant memory."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError
from typing_extensions import Buffer

from shared.domain.errors import Unavailable

if TYPE_CHECKING:
    from botocore.response import StreamingBody


class Download(io.RawIOBase):
    """The bytes of an answer still arriving; to be buffered by the reader."""

    def __init__(self, body: StreamingBody, bucket: str) -> None:
        self._body = body
        self._bucket = bucket

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        data = self._next(len(view))
        view[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return self._next(None)

    def close(self) -> None:
        self._body.close()
        super().close()

    def _next(self, count: int | None) -> bytes:
        try:
            return self._body.read(count)
        except BotoCoreError as exc:
            raise Unavailable(f"a download from bucket {self._bucket} broke off") from exc

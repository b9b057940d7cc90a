"""Buckets in memory, with the manners of the real ones."""

from __future__ import annotations

import hashlib
import io
import threading
from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import BinaryIO
from urllib.parse import quote

from typing_extensions import Buffer

from shared.domain.errors import NotFound, PreconditionFailed, Throttled
from shared.domain.objects import ObjectInfo, PresignedGet, PresignedPut, StoredObject
from shared.ports import Clock


@dataclass(frozen=True, slots=True)
class Stored:
    """What lies under a key."""

    info: ObjectInfo
    body: bytes
    content_type: str


@dataclass(slots=True)
class Bucket:
    """Objects by key, the keys in order, and when each was last written."""

    objects: dict[str, Stored] = field(default_factory=dict)
    keys: list[str] = field(default_factory=list)
    written: dict[str, datetime] = field(default_factory=dict)


class MemoryService:
    """The service whose buckets can be copied between; a bucket is there as soon as it is named."""

    def __init__(self, clock: Clock, *, writes_per_second: float | None = None, page: int = 1000) -> None:
        self.clock = clock
        self.page = page
        self.lock = threading.RLock()
        self.buckets: defaultdict[str, Bucket] = defaultdict(Bucket)
        self._interval = None if writes_per_second is None else timedelta(seconds=1 / writes_per_second)

    def slow_down(self, bucket: Bucket, key: str) -> None:
        """R2 and GCS take about one write per second to a key, whether or not its condition would hold."""
        if self._interval is None or key not in bucket.written:
            return
        left = bucket.written[key] + self._interval - self.clock.now()
        if left > timedelta():
            raise Throttled(left.total_seconds())


class MemoryStore:
    """One bucket. A version is of the content, as an ETag is: the same bytes written again have the same one."""

    def __init__(self, service: MemoryService, bucket: str) -> None:
        self._service = service
        self._name = bucket
        with service.lock:
            self._bucket = service.buckets[bucket]

    @property
    def bucket(self) -> str:
        return self._name

    def content_type(self, key: str) -> str:
        return self._bucket.objects[key].content_type

    def get(self, key: str) -> StoredObject | None:
        stored = self._bucket.objects.get(key)
        return None if stored is None else StoredObject(stored.info, stored.body)

    def stat(self, key: str) -> ObjectInfo | None:
        stored = self._bucket.objects.get(key)
        return None if stored is None else stored.info

    def reachable(self) -> None:
        """Memory always is."""

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        stored = self._bucket.objects.get(key)
        if stored is None:
            raise NotFound
        with io.BufferedReader(_Download(stored.body)) as stream:
            yield stream

    def put(self, key: str, body: bytes | BinaryIO, content_type: str) -> str:
        content = body if isinstance(body, bytes) else body.read()
        with self._service.lock:
            self._service.slow_down(self._bucket, key)
            return self._write(key, content, content_type)

    def create(self, key: str, body: bytes, content_type: str) -> str:
        with self._service.lock:
            self._service.slow_down(self._bucket, key)
            if key in self._bucket.objects:
                raise PreconditionFailed
            return self._write(key, body, content_type)

    def replace(self, key: str, body: bytes, content_type: str, version: str) -> str:
        with self._service.lock:
            self._service.slow_down(self._bucket, key)
            stored = self._bucket.objects.get(key)
            if stored is None or stored.info.version != version:
                raise PreconditionFailed
            return self._write(key, body, content_type)

    def delete(self, key: str) -> None:
        with self._service.lock:
            if self._bucket.objects.pop(key, None) is not None:
                del self._bucket.keys[bisect_left(self._bucket.keys, key)]

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[ObjectInfo]:
        while page := self._page(prefix, start_after):
            yield from page
            start_after = page[-1].key

    def folders(self, prefix: str) -> Iterator[str]:
        beyond = prefix
        while (key := self._first_at(beyond)) is not None and key.startswith(prefix):
            name, slash, _ = key[len(prefix) :].partition("/")
            if slash:
                yield f"{prefix}{name}/"
            # "0" is the character after "/": every key of the folder is skipped at once.
            beyond = f"{prefix}{name}0" if slash else f"{key}\0"

    def copy(self, source_bucket: str, source_key: str, key: str, *, version: str | None = None) -> None:
        with self._service.lock:
            source = self._service.buckets[source_bucket].objects.get(source_key)
            if source is None:
                raise NotFound
            if version is not None and source.info.version != version:
                raise PreconditionFailed
            self._service.slow_down(self._bucket, key)
            self._write(key, source.body, source.content_type)

    def presign_put(self, key: str, size: int, content_type: str, lifetime: timedelta) -> PresignedPut:
        headers = {"Content-Length": str(size), "Content-Type": content_type}
        url = f"https://{self._name}.memory.invalid/{quote(key)}"
        return PresignedPut(url, headers, self._service.clock.now() + lifetime)

    def presign_get(self, key: str, lifetime: timedelta) -> PresignedGet:
        url = f"https://{self._name}.memory.invalid/{quote(key)}"
        return PresignedGet(url, self._service.clock.now() + lifetime)

    def _write(self, key: str, body: bytes, content_type: str) -> str:
        now = self._service.clock.now()
        info = ObjectInfo(key, len(body), hashlib.md5(body, usedforsecurity=False).hexdigest(), now)
        if key not in self._bucket.objects:
            insort(self._bucket.keys, key)
        self._bucket.objects[key] = Stored(info, body, content_type)
        self._bucket.written[key] = now
        return info.version

    def _page(self, prefix: str, after: str) -> tuple[ObjectInfo, ...]:
        with self._service.lock:
            keys = self._bucket.keys
            begin = max(bisect_left(keys, prefix), bisect_right(keys, after))
            page = keys[begin : begin + self._service.page]
            return tuple(self._bucket.objects[key].info for key in page if key.startswith(prefix))

    def _first_at(self, key: str) -> str | None:
        with self._service.lock:
            keys = self._bucket.keys
            begin = bisect_left(keys, key)
            return keys[begin] if begin < len(keys) else None


class _Download(io.RawIOBase):
    """Bytes that cannot be rewound, as those of a real answer cannot."""

    def __init__(self, body: bytes) -> None:
        self._rest = memoryview(body)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        count = min(len(view), len(self._rest))
        view[:count], self._rest = self._rest[:count], self._rest[count:]
        return count

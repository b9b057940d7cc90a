"""One bucket of Google Cloud Storage."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import BinaryIO, TypeVar
from urllib.parse import parse_qs, urlsplit

from google.api_core.exceptions import GoogleAPICallError
from google.cloud.storage import Blob

from shared.adapters.gcs.connection import Connection, signer
from shared.adapters.gcs.download import Download
from shared.adapters.gcs.errors import SDK_ERRORS, may_pass, refusal, retry_after, was_not_sent
from shared.domain.errors import Ambiguous, NotFound, Unavailable
from shared.domain.objects import ObjectInfo, PresignedGet, PresignedPut, StoredObject

Result = TypeVar("Result")

PAGE = 1000
RANGE = 2 * 1024 * 1024
PAUSES = (0.05, 0.2, 0.8)
LONGEST_SIGNATURE = timedelta(days=7)
LISTED = "items(name,size,generation,updated),prefixes,nextPageToken"


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a listing, and the mark where the next begins."""

    blobs: tuple[Blob, ...]
    prefixes: tuple[str, ...]
    following: str | None


class GCSStore:
    """One bucket. The SDK repeats nothing: what may be repeated is repeated here, a conditional write is sent once."""

    def __init__(self, connection: Connection, bucket: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = connection.client
        self._credentials = connection.credentials
        self._once = {"timeout": connection.timeout, "retry": None}
        self._bucket = connection.client.bucket(bucket)
        self._name = bucket
        self._sleep = sleep

    @property
    def bucket(self) -> str:
        return self._name

    def get(self, key: str) -> StoredObject | None:
        for _ in PAUSES:
            info = self.stat(key)
            if info is None:
                return None
            try:
                return StoredObject(info, self._read(info))
            except NotFound:
                continue  # replaced since it was looked at: look again
        raise Unavailable(f"an object of bucket {self._name} changes faster than it can be read")

    def stat(self, key: str) -> ObjectInfo | None:
        blob = self._bucket.blob(key)
        try:
            self._repeatedly(lambda: blob.reload(**self._once))
        except NotFound:
            return None
        return _info(blob)

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        info = self.stat(key)
        if info is None:
            raise NotFound
        with io.BufferedReader(Download(info.size, lambda start, end: self._piece(info, start, end)), RANGE) as stream:
            yield stream

    def put(self, key: str, body: bytes | BinaryIO, content_type: str) -> str:
        """A file is sent from where it stands, and must be able to seek back there."""
        start = 0 if isinstance(body, bytes) else body.tell()

        def write() -> str:
            if not isinstance(body, bytes):
                body.seek(start)
            return self._upload(key, body, content_type)

        return self._repeatedly(write, write=True)

    def create(self, key: str, body: bytes, content_type: str) -> str:
        with self._translated(write=True):
            return self._upload(key, body, content_type, if_generation_match=0)

    def replace(self, key: str, body: bytes, content_type: str, version: str) -> str:
        with self._translated(write=True):
            return self._upload(key, body, content_type, if_generation_match=int(version))

    def delete(self, key: str) -> None:
        try:
            self._repeatedly(lambda: self._bucket.blob(key).delete(**self._once), write=True)
        except NotFound:
            return

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[ObjectInfo]:
        for page in self._pages(prefix=prefix, start_offset=start_after or None):
            # The service begins with the key itself, if it is there.
            yield from (_info(blob) for blob in page.blobs if blob.name != start_after)

    def folders(self, prefix: str) -> Iterator[str]:
        for page in self._pages(prefix=prefix, delimiter="/"):
            yield from page.prefixes

    def copy(self, source_bucket: str, source_key: str, key: str, *, version: str | None = None) -> None:
        """NotFound if there is no source. Several calls if the service moves the bytes between places."""
        source = self._client.bucket(source_bucket).blob(source_key)
        condition = {"if_source_generation_match": None if version is None else int(version)}
        token = self._repeatedly(partial(self._rewrite, key, source, None, condition), write=True)
        while token is not None:
            token = self._repeatedly(partial(self._rewrite, key, source, token, condition), write=True)

    def reachable(self) -> None:
        try:
            with self._translated():
                self._page(None, {}, 1)
        except NotFound as exc:
            raise Unavailable(f"there is no bucket {self._name}") from exc

    def presign_put(self, key: str, size: int, content_type: str, lifetime: timedelta) -> PresignedPut:
        exactly = {"x-goog-content-length-range": f"{size},{size}"}
        with self._translated():
            url: str = self._bucket.blob(key).generate_signed_url(
                version="v4",
                method="PUT",
                expiration=min(lifetime, LONGEST_SIGNATURE),
                content_type=content_type,
                headers=exactly,
                **signer(self._credentials),
            )
        return PresignedPut(url, {"Content-Length": str(size), "Content-Type": content_type} | exactly, _expiry(url))

    def presign_get(self, key: str, lifetime: timedelta) -> PresignedGet:
        with self._translated():
            url: str = self._bucket.blob(key).generate_signed_url(
                version="v4", method="GET", expiration=min(lifetime, LONGEST_SIGNATURE), **signer(self._credentials)
            )
        return PresignedGet(url, _expiry(url))

    def _read(self, info: ObjectInfo) -> bytes:
        blob = self._bucket.blob(info.key, generation=int(info.version))
        content: bytes = self._repeatedly(lambda: blob.download_as_bytes(raw_download=True, **self._once))
        return content

    def _piece(self, info: ObjectInfo, start: int, end: int) -> bytes:
        """Bytes of one generation, so that pieces of two objects are never joined."""
        blob = self._bucket.blob(info.key, generation=int(info.version))
        try:
            piece: bytes = self._repeatedly(
                lambda: blob.download_as_bytes(start=start, end=end, raw_download=True, checksum=None, **self._once)
            )
        except NotFound as exc:
            raise Unavailable(f"an object of bucket {self._name} was replaced while it was read") from exc
        return piece

    def _upload(self, key: str, body: bytes | BinaryIO, content_type: str, **condition: int) -> str:
        blob = self._bucket.blob(key)
        file = io.BytesIO(body) if isinstance(body, bytes) else body
        blob.upload_from_file(file, size=_left(file), content_type=content_type, **condition, **self._once)
        return str(blob.generation)

    def _rewrite(self, key: str, source: Blob, token: str | None, condition: dict[str, int | None]) -> str | None:
        following, _, _ = self._bucket.blob(key).rewrite(source, token=token, **condition, **self._once)
        return None if following is None else str(following)

    def _pages(self, **question: str | None) -> Iterator[Page]:
        page = self._repeatedly(partial(self._page, None, question))
        yield page
        while page.following is not None:
            page = self._repeatedly(partial(self._page, page.following, question))
            yield page

    def _page(self, token: str | None, question: dict[str, str | None], size: int = PAGE) -> Page:
        listing = self._client.list_blobs(
            self._bucket, page_token=token, page_size=size, fields=LISTED, **question, **self._once
        )
        blobs = tuple(next(listing.pages, ()))
        return Page(blobs, tuple(sorted(listing.prefixes)), listing.next_page_token)

    def _repeatedly(self, call: Callable[[], Result], *, write: bool = False) -> Result:
        with self._translated(write=write):
            for pause in PAUSES:
                try:
                    return call()
                except SDK_ERRORS as exc:
                    if not may_pass(exc):
                        raise
                    self._sleep(max(pause, retry_after(exc) or 0))
            return call()

    @contextmanager
    def _translated(self, *, write: bool = False) -> Iterator[None]:
        try:
            yield
        except GoogleAPICallError as exc:
            raise refusal(exc, self._name, write=write) from exc
        except SDK_ERRORS as exc:
            if not write or was_not_sent(exc):
                raise Unavailable(f"the object store of bucket {self._name} cannot be reached") from exc
            raise Ambiguous(f"the object store of bucket {self._name} gave no answer") from exc


def _info(blob: Blob) -> ObjectInfo:
    return ObjectInfo(blob.name, blob.size, str(blob.generation), blob.updated)


def _left(file: BinaryIO) -> int:
    position = file.tell()
    size = file.seek(0, io.SEEK_END) - position
    file.seek(position)
    return size


def _expiry(url: str) -> datetime:
    signed = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    begin = datetime.strptime(signed["X-Goog-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return begin + timedelta(seconds=int(signed["X-Goog-Expires"]))

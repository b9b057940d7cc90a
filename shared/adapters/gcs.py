"""The object store on Google Cloud Storage; an object's generation is its version."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, BinaryIO, TypeVar
from urllib.parse import parse_qs, urlsplit

import google.auth
from google.api_core.exceptions import GoogleAPICallError
from google.auth import compute_engine
from google.auth.credentials import AnonymousCredentials, Credentials, Signing
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
from google.auth.transport.requests import AuthorizedSession, Request
from google.cloud.storage import Blob, Client
from google.cloud.storage.exceptions import DataCorruption
from pydantic import Field
from requests import ConnectTimeout, RequestException
from requests.adapters import HTTPAdapter
from typing_extensions import Buffer
from urllib3.exceptions import MaxRetryError, NewConnectionError

from shared.config import Settings
from shared.domain.errors import (
    Ambiguous,
    ArchivoltError,
    ConfigError,
    NotFound,
    PreconditionFailed,
    Throttled,
    Unavailable,
)
from shared.domain.objects import ObjectInfo, PresignedPut, StoredObject

Result = TypeVar("Result")

PAGE = 1000
RANGE = 2 * 1024 * 1024
PAUSES = (0.05, 0.2, 0.8)
LONGEST_PAUSE = 1.0
LONGEST_SIGNATURE = timedelta(days=7)
SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)
LISTED = "items(name,size,generation,updated),prefixes,nextPageToken"
SDK_ERRORS = (GoogleAPICallError, GoogleAuthError, RequestException, DataCorruption)


class GCSSettings(Settings):
    """Which project; who we are comes from where we run."""

    project: str | None = Field(None, alias="GCS_PROJECT", description="the project of the buckets, if not our own")
    emulator: str | None = Field(
        None, alias="STORAGE_EMULATOR_HOST", description="the address of an emulator, in tests", pattern="^https?://"
    )


@dataclass(frozen=True, slots=True)
class Connection:
    """A client for the process, which threads may share, and the credentials that can sign for it."""

    client: Client
    credentials: Credentials
    timeout: tuple[float, float] = (3, 30)


def connect(settings: GCSSettings) -> Connection:
    if settings.emulator is not None:
        anonymous = AnonymousCredentials()
        return Connection(_client(anonymous, settings.project, settings.emulator), anonymous)
    try:
        credentials, project = google.auth.default(scopes=SCOPES)
    except DefaultCredentialsError as exc:
        raise ConfigError("no Google credentials here: run as a service account, or log in with gcloud") from exc
    return Connection(_client(credentials, settings.project or project), credentials)


def _client(credentials: Credentials, project: str | None, endpoint: str | None = None) -> Client:
    # Else the SDK asks for the metadata of each bucket behind our back, with a right we do not have. No other switch.
    os.environ.setdefault("DISABLE_GCS_PYTHON_CLIENT_OTEL_BUCKET_METADATA", "true")
    session = AuthorizedSession(credentials)
    # The session's own pool is of ten, and drops a connection for every thread beyond.
    session.mount("https://", HTTPAdapter(pool_maxsize=64))
    options = {} if endpoint is None else {"api_endpoint": endpoint}
    return Client(project=project, credentials=credentials, _http=session, client_options=options)


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
        with io.BufferedReader(_Download(info.size, lambda start, end: self._piece(info, start, end)), RANGE) as stream:
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
                **_signer(self._credentials),
            )
        return PresignedPut(url, {"Content-Length": str(size), "Content-Type": content_type} | exactly, _expiry(url))

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

    def _pages(self, **question: str | None) -> Iterator[_Page]:
        page = self._repeatedly(partial(self._page, None, question))
        yield page
        while page.following is not None:
            page = self._repeatedly(partial(self._page, page.following, question))
            yield page

    def _page(self, token: str | None, question: dict[str, str | None], size: int = PAGE) -> _Page:
        listing = self._client.list_blobs(
            self._bucket, page_token=token, page_size=size, fields=LISTED, **question, **self._once
        )
        blobs = tuple(next(listing.pages, ()))
        return _Page(blobs, tuple(sorted(listing.prefixes)), listing.next_page_token)

    def _repeatedly(self, call: Callable[[], Result], *, write: bool = False) -> Result:
        with self._translated(write=write):
            for pause in PAUSES:
                try:
                    return call()
                except SDK_ERRORS as exc:
                    if not _may_pass(exc):
                        raise
                    self._sleep(max(pause, _retry_after(exc) or 0))
            return call()

    @contextmanager
    def _translated(self, *, write: bool = False) -> Iterator[None]:
        try:
            yield
        except GoogleAPICallError as exc:
            raise _refusal(exc, self._name, write=write) from exc
        except SDK_ERRORS as exc:
            if not write or _was_not_sent(exc):
                raise Unavailable(f"the object store of bucket {self._name} cannot be reached") from exc
            raise Ambiguous(f"the object store of bucket {self._name} gave no answer") from exc


@dataclass(frozen=True, slots=True)
class _Page:
    """A part of a listing, and the mark where the next begins."""

    blobs: tuple[Blob, ...]
    prefixes: tuple[str, ...]
    following: str | None


class _Download(io.RawIOBase):
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


def _signer(credentials: Credentials) -> dict[str, Any]:
    """A key signs by itself; a service account without one asks the IAM service. `Any`: the SDK's arguments."""
    if isinstance(credentials, Signing):
        return {"credentials": credentials}
    if not isinstance(credentials, compute_engine.Credentials):
        raise ConfigError("these Google credentials cannot sign upload addresses: run as a service account")
    if not credentials.valid:
        credentials.refresh(Request())
    return {"service_account_email": credentials.service_account_email, "access_token": credentials.token}


def _refusal(exc: GoogleAPICallError, bucket: str, *, write: bool) -> ArchivoltError:
    status = exc.code or 0
    if status == 412:
        return PreconditionFailed()
    if status == 404 and "bucket does not exist" not in str(exc.message):
        return NotFound()
    if status == 429:
        return Throttled(_retry_after(exc), f"bucket {bucket} asked us to slow down")
    if status in (401, 403):
        return Unavailable(f"access to bucket {bucket} was denied: has the service account a role on it?")
    # A server that fails, or a gateway before it, does not say whether the write was done.
    failed = Ambiguous if write and status >= 500 and status != 501 else Unavailable
    return failed(f"bucket {bucket} answered {status}")


def _may_pass(exc: Exception) -> bool:
    if not isinstance(exc, GoogleAPICallError):
        return True
    status = exc.code or 0
    passing = status in (408, 429) or (status >= 500 and status != 501)
    return passing and (_retry_after(exc) or 0) <= LONGEST_PAUSE


def _was_not_sent(exc: Exception) -> bool:
    if isinstance(exc, GoogleAuthError | ConnectTimeout):
        return True
    cause = exc.args[0] if exc.args else None
    return isinstance(cause, MaxRetryError) and isinstance(cause.reason, NewConnectionError)


def _retry_after(exc: Exception) -> float | None:
    headers = getattr(getattr(exc, "response", None), "headers", None) or {}
    value = str(headers.get("Retry-After", ""))
    return float(value) if value.isdecimal() else None


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

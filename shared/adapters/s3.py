"""The object store on anything that speaks S3: Cloudflare R2, Amazon S3, SeaweedFS."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, BinaryIO, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    HTTPClientError,
    IncompleteReadError,
    ProxyConnectionError,
    SSLError,
)
from botocore.loaders import Loader
from botocore.parsers import ResponseParserError
from botocore.session import Session
from pydantic import Field, SecretStr
from typing_extensions import Buffer, override

from shared.config import Settings
from shared.domain.errors import Ambiguous, ArchivoltError, NotFound, PreconditionFailed, Throttled, Unavailable
from shared.domain.objects import ObjectInfo, PresignedPut, StoredObject

if TYPE_CHECKING:
    from botocore.response import StreamingBody
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import (
        CopyObjectRequestTypeDef,
        ListObjectsV2OutputTypeDef,
        ListObjectsV2RequestTypeDef,
    )

Result = TypeVar("Result")

PAGE = 1000
BUFFER = 256 * 1024
PAUSES = (0.05, 0.2, 0.8)
LONGEST_PAUSE = 1.0
LONGEST_SIGNATURE = timedelta(days=7)
# Nothing of ours lies in files or profiles, and looking for them costs every cold start.
NO_FILES = dict.fromkeys(("profile", "config_file", "credentials_file"), (None, None, None, None))

NOT_SENT = (EndpointConnectionError, ConnectTimeoutError, ProxyConnectionError)
# A TLS error may also be a connection cut after the request was sent.
ANSWER_LOST = (HTTPClientError, SSLError, IncompleteReadError, ResponseParserError)
SDK_ERRORS = (ClientError, BotoCoreError, ResponseParserError)


class S3Settings(Settings):
    """Where the buckets are and what opens them."""

    endpoint: str = Field(
        alias="AWS_S3_ENDPOINT",
        pattern=r"^https?://[^/]+/?$",
        description="the S3 service's address, such as https://<account>.r2.cloudflarestorage.com",
    )
    access_key_id: str = Field(alias="AWS_ACCESS_KEY_ID", description="the id of an access key for the buckets")
    secret_access_key: SecretStr = Field(alias="AWS_SECRET_ACCESS_KEY", description="the secret of that access key")
    region: str = Field("auto", alias="AWS_REGION", description="the buckets' region; R2's is auto")


class _S3Only(Loader):
    """Knows without looking that there is S3; botocore would read some 400 folders to find out."""

    @override
    def list_available_services(self, type_name: str) -> list[str]:
        return ["s3"]


def connect(settings: S3Settings, *, connect_timeout: float = 3, read_timeout: float = 30) -> S3Client:
    """One client for the process; threads may share it. botocore directly: boto3's own session takes a third longer."""
    session = Session(session_vars=NO_FILES)
    session.register_component("data_loader", _S3Only())
    config = Config(
        signature_version="s3v4",
        s3={"addressing_style": "path"},
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        connect_timeout=connect_timeout,
        read_timeout=read_timeout,
        retries={"mode": "standard", "total_max_attempts": 1},
        max_pool_connections=64,
    )
    client = session.create_client(
        "s3",
        region_name=settings.region,
        endpoint_url=settings.endpoint,
        aws_access_key_id=settings.access_key_id,
        aws_secret_access_key=settings.secret_access_key.get_secret_value(),
        config=config,
    )
    return cast("S3Client", client)


class S3Store:
    """One bucket. What may be repeated safely is, after a passing error; a conditional write is sent once."""

    def __init__(self, client: S3Client, bucket: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._bucket = bucket
        self._sleep = sleep

    @property
    def bucket(self) -> str:
        return self._bucket

    def get(self, key: str) -> StoredObject | None:
        def read() -> StoredObject:
            answer = self._client.get_object(Bucket=self._bucket, Key=key)
            # Not `with answer["Body"]`: that hands out the stream beneath, whose errors are another library's.
            with closing(answer["Body"]) as body:
                content = body.read()
            return StoredObject(_info(key, len(content), answer["ETag"], answer["LastModified"]), content)

        try:
            return self._repeatedly(read)
        except NotFound:
            return None

    def stat(self, key: str) -> ObjectInfo | None:
        try:
            answer = self._repeatedly(lambda: self._client.head_object(Bucket=self._bucket, Key=key))
        except NotFound:
            return None
        return _info(key, answer["ContentLength"], answer["ETag"], answer["LastModified"])

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        answer = self._repeatedly(lambda: self._client.get_object(Bucket=self._bucket, Key=key))
        with io.BufferedReader(_Download(answer["Body"], self._bucket), BUFFER) as stream:
            yield stream

    def put(self, key: str, body: bytes | BinaryIO, content_type: str) -> str:
        """A file is sent from where it stands, and must be able to seek back there."""
        start = 0 if isinstance(body, bytes) else body.tell()

        def write() -> str:
            if not isinstance(body, bytes):
                body.seek(start)
            answer = self._client.put_object(Bucket=self._bucket, Key=key, Body=body, ContentType=content_type)
            return _version(answer["ETag"])

        return self._repeatedly(write, write=True)

    def create(self, key: str, body: bytes, content_type: str) -> str:
        with self._translated(write=True):
            answer = self._client.put_object(
                Bucket=self._bucket, Key=key, Body=body, ContentType=content_type, IfNoneMatch="*"
            )
        return _version(answer["ETag"])

    def replace(self, key: str, body: bytes, content_type: str, version: str) -> str:
        try:
            with self._translated(write=True):
                answer = self._client.put_object(
                    Bucket=self._bucket, Key=key, Body=body, ContentType=content_type, IfMatch=f'"{version}"'
                )
        except NotFound as exc:
            raise PreconditionFailed from exc
        return _version(answer["ETag"])

    def delete(self, key: str) -> None:
        try:
            self._repeatedly(lambda: self._client.delete_object(Bucket=self._bucket, Key=key), write=True)
        except NotFound:
            return

    def list(self, prefix: str, *, start_after: str = "") -> Iterator[ObjectInfo]:
        request: ListObjectsV2RequestTypeDef = {"Bucket": self._bucket, "Prefix": prefix}
        if start_after:
            request["StartAfter"] = start_after
        for page in self._pages(request):
            for entry in page.get("Contents", ()):
                yield _info(entry["Key"], entry["Size"], entry["ETag"], entry["LastModified"])

    def folders(self, prefix: str) -> Iterator[str]:
        for page in self._pages({"Bucket": self._bucket, "Prefix": prefix, "Delimiter": "/"}):
            for entry in page.get("CommonPrefixes", ()):
                yield entry["Prefix"]

    def copy(self, source_bucket: str, source_key: str, key: str, *, version: str | None = None) -> None:
        """NotFound if there is no source.

        Sets no condition on the destination: the same copy may then be repeated, nothing copied here is ever changed
        in place, and the services differ (R2 wants `cf-copy-destination-if-none-match`, S3 `If-None-Match`).
        """
        request: CopyObjectRequestTypeDef = {
            "Bucket": self._bucket,
            "Key": key,
            "CopySource": {"Bucket": source_bucket, "Key": source_key},
        }
        if version is not None:
            request["CopySourceIfMatch"] = f'"{version}"'
        self._repeatedly(lambda: self._client.copy_object(**request), write=True)

    def reachable(self) -> None:
        with self._translated():
            self._client.list_objects_v2(Bucket=self._bucket, MaxKeys=1)

    def presign_put(self, key: str, size: int, content_type: str, lifetime: timedelta) -> PresignedPut:
        url = self._client.generate_presigned_url(
            "put_object",
            Params={"Bucket": self._bucket, "Key": key, "ContentLength": size, "ContentType": content_type},
            ExpiresIn=int(min(lifetime, LONGEST_SIGNATURE).total_seconds()),
        )
        return PresignedPut(url, {"Content-Length": str(size), "Content-Type": content_type}, _expiry(url))

    def _pages(self, request: ListObjectsV2RequestTypeDef) -> Iterator[ListObjectsV2OutputTypeDef]:
        request["MaxKeys"] = PAGE
        while True:
            page = self._repeatedly(lambda: self._client.list_objects_v2(**request))
            yield page
            if not page["IsTruncated"]:
                return
            request["ContinuationToken"] = page["NextContinuationToken"]

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
        except ClientError as exc:
            raise _refusal(exc, self._bucket, write=write) from exc
        except NOT_SENT as exc:
            raise Unavailable(f"the object store of bucket {self._bucket} cannot be reached") from exc
        except ANSWER_LOST as exc:
            lost = Ambiguous if write else Unavailable
            raise lost(f"the object store of bucket {self._bucket} gave no answer") from exc


class _Download(io.RawIOBase):
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


def _refusal(exc: ClientError, bucket: str, *, write: bool) -> ArchivoltError:
    status, code = _status(exc), exc.response["Error"]["Code"]
    if status == 412 or code == "ConditionalRequestConflict":
        return PreconditionFailed()
    if status == 404 and code != "NoSuchBucket":
        return NotFound()
    if status == 429 or code == "SlowDown":
        return Throttled(_retry_after(exc), f"bucket {bucket} asked us to slow down")
    if status in (401, 403):
        return Unavailable(f"access to bucket {bucket} was denied ({code}): are the access key and its rights right?")
    # A server that fails, or a gateway before it, does not say whether the write was done.
    failed = Ambiguous if write and status >= 500 and status != 501 else Unavailable
    return failed(f"bucket {bucket} answered {status} ({code})")


def _may_pass(exc: Exception) -> bool:
    if not isinstance(exc, ClientError):
        return isinstance(exc, NOT_SENT + ANSWER_LOST)
    passing = _status(exc) == 429 or (_status(exc) >= 500 and _status(exc) != 501)
    return passing and (_retry_after(exc) or 0) <= LONGEST_PAUSE


def _status(exc: ClientError) -> int:
    return exc.response["ResponseMetadata"]["HTTPStatusCode"]


def _retry_after(exc: Exception) -> float | None:
    if not isinstance(exc, ClientError):
        return None
    value = exc.response["ResponseMetadata"]["HTTPHeaders"].get("retry-after", "")
    return float(value) if value.isdecimal() else None


def _info(key: str, size: int, etag: str, updated: datetime) -> ObjectInfo:
    return ObjectInfo(key, size, _version(etag), updated.astimezone(UTC))


def _version(etag: str) -> str:
    return etag.strip('"')


def _expiry(url: str) -> datetime:
    signed = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    begin = datetime.strptime(signed["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return begin + timedelta(seconds=int(signed["X-Amz-Expires"]))

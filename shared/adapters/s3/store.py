"""One bucket of an S3 service."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, BinaryIO, TypeVar
from urllib.parse import parse_qs, urlsplit

from botocore.exceptions import ClientError

from shared.adapters.s3.download import Download
from shared.adapters.s3.errors import ANSWER_LOST, NOT_SENT, SDK_ERRORS, may_pass, refusal, retry_after
from shared.domain.errors import Ambiguous, NotFound, PreconditionFailed, Unavailable
from shared.domain.objects import ObjectInfo, PresignedGet, PresignedPut, StoredObject

if TYPE_CHECKING:
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
LONGEST_SIGNATURE = timedelta(days=7)


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
        with io.BufferedReader(Download(answer["Body"], self._bucket), BUFFER) as stream:
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

    def presign_get(self, key: str, lifetime: timedelta) -> PresignedGet:
        url = self._client.generate_presigned_url(
            "get_object",
            Params={"Bucket": self._bucket, "Key": key},
            ExpiresIn=int(min(lifetime, LONGEST_SIGNATURE).total_seconds()),
        )
        return PresignedGet(url, _expiry(url))

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
                    if not may_pass(exc):
                        raise
                    self._sleep(max(pause, retry_after(exc) or 0))
            return call()

    @contextmanager
    def _translated(self, *, write: bool = False) -> Iterator[None]:
        try:
            yield
        except ClientError as exc:
            raise refusal(exc, self._bucket, write=write) from exc
        except NOT_SENT as exc:
            raise Unavailable(f"the object store of bucket {self._bucket} cannot be reached") from exc
        except ANSWER_LOST as exc:
            lost = Ambiguous if write else Unavailable
            raise lost(f"the object store of bucket {self._bucket} gave no answer") from exc


def _info(key: str, size: int, etag: str, updated: datetime) -> ObjectInfo:
    return ObjectInfo(key, size, _version(etag), updated.astimezone(UTC))


def _version(etag: str) -> str:
    return etag.strip('"')


def _expiry(url: str) -> datetime:
    signed = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
    begin = datetime.strptime(signed["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    return begin + timedelta(seconds=int(signed["X-Amz-Expires"]))

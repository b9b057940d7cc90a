"""The object store on S3 keeps the contract on SeaweedFS, and what it signs is held to."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from datetime import timedelta

import pytest
from mypy_boto3_s3 import S3Client

from scripts.local.seaweedfs import S3Access
from shared.adapters.s3 import S3Settings, S3Store, connect
from shared.domain.errors import ConfigError, Unavailable
from shared.domain.objects import PresignedPut
from shared.ports import ObjectStore
from tests.contracts.object_store import ObjectStoreContract

PDF = "application/pdf"


@pytest.fixture(scope="module")
def client(s3: S3Access) -> Iterator[S3Client]:
    client = connect(settings(s3))
    yield client
    client.close()


@pytest.fixture
def store(client: S3Client, bucket: str) -> ObjectStore:
    return S3Store(client, bucket)


def settings(s3: S3Access, **changes: str) -> S3Settings:
    env = {
        "AWS_S3_ENDPOINT": s3.endpoint,
        "AWS_ACCESS_KEY_ID": s3.access_key,
        "AWS_SECRET_ACCESS_KEY": s3.secret_key,
    }
    return S3Settings.from_env(env | changes)


def upload(url: str, body: bytes, headers: Mapping[str, str]) -> int:
    request = urllib.request.Request(url, data=body, headers=dict(headers), method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


class TestS3Store(ObjectStoreContract):
    @pytest.fixture
    def other(self, s3_client: S3Client, client: S3Client) -> Iterator[ObjectStore]:
        name = f"test-{uuid.uuid4().hex}"
        s3_client.create_bucket(Bucket=name)
        yield S3Store(client, name)
        s3_client.delete_bucket(Bucket=name)


def test_the_content_type_is_stored_and_goes_with_a_copy(store: ObjectStore, s3_client: S3Client) -> None:
    version = store.create("a", b"one", "text/one")
    store.replace("a", b"two", "text/two", version)
    store.put("b", b"three", PDF)
    store.copy(store.bucket, "b", "c")

    types = {key: s3_client.head_object(Bucket=store.bucket, Key=key)["ContentType"] for key in "abc"}

    assert types == {"a": "text/two", "b": PDF, "c": PDF}


def test_a_missing_bucket_is_not_taken_for_a_missing_object(client: S3Client) -> None:
    store = S3Store(client, f"test-{uuid.uuid4().hex}")

    with pytest.raises(Unavailable, match="NoSuchBucket"):
        store.get("a")
    with pytest.raises(Unavailable, match="NoSuchBucket"):
        store.reachable()


def test_a_wrong_secret_is_named_without_being_told(s3: S3Access, bucket: str) -> None:
    store = S3Store(connect(settings(s3, AWS_SECRET_ACCESS_KEY="not-the-secret")), bucket)

    with pytest.raises(Unavailable) as caught:
        store.get("a")

    assert f"access to bucket {bucket} was denied" in caught.value.message
    assert "not-the-secret" not in str(caught.value) + str(caught.value.__cause__)


class TestPresignedPut:
    """One PUT of the signed size and type, before the end, and no other."""

    @pytest.fixture
    def presigned(self, store: ObjectStore) -> PresignedPut:
        return store.presign_put("uploads/a", 4, PDF, timedelta(minutes=5))

    def test_takes_what_was_signed(self, store: ObjectStore, presigned: PresignedPut) -> None:
        status = upload(presigned.url, b"%PDF", presigned.headers)

        stored = store.get("uploads/a")
        assert status == 200
        assert stored is not None
        assert stored.body == b"%PDF"

    def test_signs_the_length_and_the_type(self, presigned: PresignedPut) -> None:
        assert "X-Amz-SignedHeaders=content-length%3Bcontent-type%3Bhost&" in presigned.url

    @pytest.mark.parametrize("body", [b"%PDF-1.7", b"%P", b""])
    def test_refuses_another_length(self, store: ObjectStore, presigned: PresignedPut, body: bytes) -> None:
        status = upload(presigned.url, body, presigned.headers | {"Content-Length": str(len(body))})

        assert status == 403
        assert store.stat("uploads/a") is None

    def test_refuses_another_type(self, store: ObjectStore, presigned: PresignedPut) -> None:
        status = upload(presigned.url, b"%PDF", presigned.headers | {"Content-Type": "text/html"})

        assert status == 403
        assert store.stat("uploads/a") is None

    def test_refuses_another_key(self, store: ObjectStore, presigned: PresignedPut) -> None:
        status = upload(presigned.url.replace("uploads/a", "uploads/b"), b"%PDF", presigned.headers)

        assert status == 403
        assert store.stat("uploads/b") is None

    def test_refuses_a_longer_life_than_was_signed(self, store: ObjectStore, presigned: PresignedPut) -> None:
        status = upload(presigned.url.replace("X-Amz-Expires=300", "X-Amz-Expires=3000"), b"%PDF", presigned.headers)

        assert status == 403
        assert store.stat("uploads/a") is None

    def test_refuses_everything_after_its_end(self, store: ObjectStore) -> None:
        presigned = store.presign_put("uploads/a", 4, PDF, timedelta(seconds=1))
        time.sleep(2.1)

        status = upload(presigned.url, b"%PDF", presigned.headers)

        assert status == 403
        assert store.stat("uploads/a") is None

    def test_never_lives_longer_than_the_signature_allows(self, store: ObjectStore) -> None:
        presigned = store.presign_put("uploads/a", 4, PDF, timedelta(days=30))

        assert "X-Amz-Expires=604800" in presigned.url


def test_a_missing_setting_is_named() -> None:
    with pytest.raises(ConfigError, match="AWS_SECRET_ACCESS_KEY is missing: the secret of that access key"):
        S3Settings.from_env({"AWS_S3_ENDPOINT": "https://s3.example", "AWS_ACCESS_KEY_ID": "id"})


def test_an_endpoint_that_is_no_address_is_named(s3: S3Access) -> None:
    with pytest.raises(ConfigError, match="AWS_S3_ENDPOINT is wrong"):
        settings(s3, AWS_S3_ENDPOINT="s3.example")

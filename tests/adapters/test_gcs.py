"""The object store on Google Cloud Storage keeps the contract, as far as the emulator can tell.

The emulator looks at generations on uploads only, and takes no signed address. So the condition of a copy is looked for
in the request, and of a signed address only its parts are checked, not that the service would refuse another upload.
"""

from __future__ import annotations

import json
import socket
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from google.auth.credentials import AnonymousCredentials
from google.oauth2 import service_account
from typing_extensions import override

from shared.adapters.gcs import PAUSES, Connection, GCSSettings, GCSStore, connect
from shared.domain.errors import Ambiguous, ConfigError, PreconditionFailed, Throttled, Unavailable
from shared.ports import ObjectStore
from tests.adapters.loopback import Loopback, Request, Respond, answer, forward, in_turn, loopback
from tests.contracts.object_store import TEXT, ObjectStoreContract

PDF = "application/pdf"
EMAIL = "archive@project.iam.gserviceaccount.com"
METADATA = {"name": "a", "size": "3", "generation": "7", "updated": "2026-11-18T12:00:00Z"}
FOUND = answer(200, json.dumps(METADATA).encode(), Content_Type="application/json")
FAILED = answer(500)


@pytest.fixture(scope="module")
def connection(gcs: str) -> Iterator[Connection]:
    with connected(gcs) as connection:
        yield connection


@pytest.fixture(scope="module")
def key_facts() -> dict[str, str]:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    uri = "http://127.0.0.1:1/token"
    return {
        "type": "service_account",
        "client_email": EMAIL,
        "private_key": pem,
        "token_uri": uri,
        "project_id": "ours",
    }


@pytest.fixture(scope="module")
def key(key_facts: dict[str, str]) -> service_account.Credentials:
    credentials: service_account.Credentials = service_account.Credentials.from_service_account_info(key_facts)
    return credentials


@pytest.fixture
def store(connection: Connection, key: service_account.Credentials) -> ObjectStore:
    return GCSStore(replace(connection, credentials=key), new_bucket(connection))


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    connection = connect(GCSSettings.from_env({"STORAGE_EMULATOR_HOST": url}))
    yield connection
    connection.client.close()


def new_bucket(connection: Connection) -> str:
    name = f"test-{uuid.uuid4().hex}"
    connection.client.create_bucket(name)
    return name


@contextmanager
def misbehaving(
    respond: Respond, *, bucket: str = "bucket", sleep: Callable[[float], None] = lambda _: None
) -> Iterator[tuple[GCSStore, Loopback]]:
    with loopback(respond) as server, connected(server.url) as connection:
        yield GCSStore(replace(connection, timeout=(1, 0.5)), bucket, sleep), server


class TestGCSStore(ObjectStoreContract):
    @pytest.fixture
    def other(self, connection: Connection) -> ObjectStore:
        return GCSStore(connection, new_bucket(connection))

    @override
    def test_copy_of_another_version_is_refused(self, store: ObjectStore, other: ObjectStore) -> None:
        with misbehaving(lambda _: answer(412)) as (refusing, server), pytest.raises(PreconditionFailed):
            refusing.copy("elsewhere", "a", "b", version="7")

        assert parse_qs(urlsplit(server.requests[0].path).query)["ifSourceGenerationMatch"] == ["7"]


def test_the_content_type_is_stored_and_goes_with_a_copy(store: ObjectStore, connection: Connection) -> None:
    version = store.create("a", b"one", "text/one")
    store.replace("a", b"two", "text/two", version)
    store.put("b", b"three", PDF)
    store.copy(store.bucket, "b", "c")

    bucket = connection.client.bucket(store.bucket)
    types = {key: bucket.get_blob(key).content_type for key in "abc"}

    assert types == {"a": "text/two", "b": PDF, "c": PDF}


def test_a_stream_of_an_object_that_is_replaced_does_not_mix_the_two(store: ObjectStore) -> None:
    store.put("a", b"x" * 5_000_000, TEXT)

    with store.open("a") as stream:
        assert stream.read(10) == b"x" * 10
        store.put("a", b"y" * 5_000_000, TEXT)
        with pytest.raises(Unavailable, match="replaced"):
            stream.read()


def test_a_missing_bucket_is_not_reachable(connection: Connection) -> None:
    with pytest.raises(Unavailable, match="there is no bucket"):
        GCSStore(connection, f"test-{uuid.uuid4().hex}").reachable()


class TestPresignedPut:
    """Signed by a key of its own, as the emulator has none."""

    def test_signs_the_size_the_type_and_the_end(self, store: ObjectStore) -> None:
        presigned = store.presign_put("uploads/a", 4, PDF, timedelta(minutes=5))

        signed = parse_qs(urlsplit(presigned.url).query)
        assert urlsplit(presigned.url).path == f"/{store.bucket}/uploads/a"
        assert signed["X-Goog-Algorithm"] == ["GOOG4-RSA-SHA256"]
        assert signed["X-Goog-Credential"][0].startswith(f"{EMAIL}/")
        assert signed["X-Goog-SignedHeaders"] == ["content-type;host;x-goog-content-length-range"]
        assert signed["X-Goog-Expires"] == ["300"]
        assert presigned.headers["x-goog-content-length-range"] == "4,4"

    def test_another_size_or_type_has_another_signature(self, store: ObjectStore) -> None:
        signatures = {
            parse_qs(urlsplit(store.presign_put("a", size, kind, timedelta(minutes=5)).url).query)["X-Goog-Signature"][
                0
            ]
            for size, kind in ((4, PDF), (5, PDF), (4, "text/html"))
        }

        assert len(signatures) == 3

    def test_credentials_that_cannot_sign_are_named(self, connection: Connection) -> None:
        store = GCSStore(replace(connection, credentials=AnonymousCredentials()), "bucket")

        with pytest.raises(ConfigError, match="cannot sign"):
            store.presign_put("a", 4, PDF, timedelta(minutes=5))


class TestFailures:
    """A service that fails or hangs up reaches us as one of our few errors."""

    def test_a_passing_failure_of_a_read_is_waited_out(self) -> None:
        pauses: list[float] = []
        with misbehaving(in_turn(FAILED, None, answer(503), FOUND), sleep=pauses.append) as (store, _):
            info = store.stat("a")

        assert info is not None
        assert info.version == "7"
        assert pauses == list(PAUSES)

    def test_an_unreachable_service_is_unavailable(self) -> None:
        pauses: list[float] = []
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        with connected(url) as connection:
            store = GCSStore(connection, "bucket", pauses.append)

            with pytest.raises(Unavailable):
                store.get("a")
            with pytest.raises(Unavailable) as caught:
                store.create("a", b"one", TEXT)

        assert not isinstance(caught.value, Ambiguous)
        assert pauses == list(PAUSES)

    def test_a_lost_answer_is_ambiguous_and_the_write_was_done(self, gcs: str, store: ObjectStore) -> None:
        losing = misbehaving(lambda request: forward(request, gcs), bucket=store.bucket)
        with losing as (through, server), pytest.raises(Ambiguous):
            through.create("a", b"one", TEXT)

        stored = store.get("a")
        assert stored is not None
        assert stored.body == b"one"
        assert len(server.requests) == 1

    def test_no_answer_in_time_is_ambiguous(self) -> None:
        over = threading.Event()

        def hang(_: Request) -> None:
            over.wait(10)

        with misbehaving(hang) as (store, server):
            with pytest.raises(Ambiguous):
                store.create("a", b"one", TEXT)
            over.set()

        assert len(server.requests) == 1

    def test_a_failing_server_does_not_say_whether_it_was_done(self) -> None:
        with misbehaving(lambda _: FAILED) as (store, server), pytest.raises(Ambiguous):
            store.replace("a", b"one", TEXT, "7")

        assert len(server.requests) == 1

    def test_a_throttled_conditional_write_is_told_at_once(self) -> None:
        with misbehaving(lambda _: answer(429, Retry_After="2")) as (store, server), pytest.raises(Throttled) as caught:
            store.create("a", b"one", TEXT)

        assert caught.value.retry_after == 2
        assert len(server.requests) == 1

    def test_denied_access_is_told_and_not_repeated(self) -> None:
        with misbehaving(lambda _: answer(403)) as (store, server), pytest.raises(Unavailable, match="was denied"):
            store.get("a")

        assert len(server.requests) == 1

    def test_a_missing_bucket_is_not_taken_for_a_missing_object(self) -> None:
        said = json.dumps({"error": {"code": 404, "message": "The specified bucket does not exist."}}).encode()
        missing = answer(404, said, Content_Type="application/json")
        with misbehaving(lambda _: missing) as (store, _), pytest.raises(Unavailable, match="answered 404"):
            store.get("a")

    def test_nothing_is_asked_that_we_did_not_ask(self) -> None:
        with misbehaving(lambda _: FOUND) as (store, server):
            store.create("a", b"one", TEXT)
            store.stat("a")

        assert [request.method for request in server.requests] == ["POST", "GET"]

    def test_an_upload_whose_answer_was_lost_is_sent_again(self) -> None:
        with misbehaving(in_turn(None, FOUND)) as (store, server):
            version = store.put("a", b"one", TEXT)

        assert version == "7"
        assert len(server.requests) == 2


class TestConnecting:
    """Who we are comes from where we run, here from a key file."""

    def test_a_key_file_signs_and_names_the_project(
        self, key_facts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        file = tmp_path / "key.json"
        file.write_text(json.dumps(key_facts))
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(file))

        connection = connect(GCSSettings.from_env({}))

        presigned = GCSStore(connection, "bucket").presign_put("a", 4, PDF, timedelta(minutes=5))
        assert presigned.url.startswith("https://storage.googleapis.com/bucket/a?")
        assert connection.client.project == "ours"

    def test_credentials_that_are_not_there_are_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))

        with pytest.raises(ConfigError, match="no Google credentials"):
            connect(GCSSettings.from_env({}))

    def test_an_emulator_that_is_no_address_is_named(self) -> None:
        with pytest.raises(ConfigError, match="STORAGE_EMULATOR_HOST is wrong"):
            GCSSettings.from_env({"STORAGE_EMULATOR_HOST": "localhost"})

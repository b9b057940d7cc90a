"""A service that fails or hangs up reaches us as one of our few errors, and is asked again only where that is safe."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Callable

import pytest
from mypy_boto3_s3 import S3Client

from scripts.local.seaweedfs import S3Access
from shared.adapters.s3 import PAUSES, S3Settings, S3Store, connect
from shared.domain.errors import Ambiguous, ArchivoltError, PreconditionFailed, Throttled, Unavailable
from tests.adapters.loopback import Request, answer, forward, in_turn, loopback

TEXT = "text/plain"
FOUND = answer(200, b"one", ETag='"v1"', Last_Modified="Wed, 18 Nov 2026 12:00:00 GMT")
PUT = answer(200, ETag='"v1"')
FAILED = answer(500)


def error(status: int, code: str, **headers: str) -> bytes:
    return answer(status, f"<Error><Code>{code}</Code><Message>no</Message></Error>".encode(), **headers)


def client(url: str, *, access_key: str = "id", secret_key: str = "secret", read_timeout: float = 5) -> S3Client:
    settings = S3Settings(AWS_S3_ENDPOINT=url, AWS_ACCESS_KEY_ID=access_key, AWS_SECRET_ACCESS_KEY=secret_key)
    return connect(settings, read_timeout=read_timeout)


def store(url: str, sleep: Callable[[float], None] = lambda _: None) -> S3Store:
    return S3Store(client(url), "bucket", sleep)


@pytest.fixture
def closed_url() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


class TestReads:
    """They are repeated a few times, then given up."""

    def test_a_passing_failure_is_waited_out(self) -> None:
        pauses: list[float] = []
        with loopback(in_turn(FAILED, None, answer(502), FOUND)) as server:
            stored = store(server.url, pauses.append).get("a")

        assert stored is not None
        assert stored.body == b"one"
        assert pauses == list(PAUSES)

    def test_a_lasting_failure_is_given_up(self) -> None:
        with loopback(lambda _: FAILED) as server, pytest.raises(Unavailable, match="bucket answered 500"):
            store(server.url).get("a")

        assert len(server.requests) == 1 + len(PAUSES)

    def test_an_unreachable_service_is_unavailable(self, closed_url: str) -> None:
        pauses: list[float] = []

        with pytest.raises(Unavailable, match="cannot be reached"):
            store(closed_url, pauses.append).get("a")

        assert pauses == list(PAUSES)

    def test_whether_it_is_reachable_is_asked_once(self, closed_url: str) -> None:
        pauses: list[float] = []

        with pytest.raises(Unavailable, match="cannot be reached"):
            store(closed_url, pauses.append).reachable()

        assert pauses == []

    def test_a_refusal_is_not_repeated(self) -> None:
        with loopback(lambda _: error(403, "AccessDenied")) as server, pytest.raises(Unavailable, match="was denied"):
            store(server.url).get("a")

        assert len(server.requests) == 1

    def test_a_page_that_is_not_of_the_service_is_unavailable(self) -> None:
        with loopback(lambda _: answer(200, b"<html><p>Sign in")) as server, pytest.raises(Unavailable):
            list(store(server.url).list(""))

    def test_a_download_that_breaks_off_is_unavailable(self) -> None:
        cut = answer(200, b"x" * 300_000, Content_Length="900000", ETag='"v1"')
        with loopback(lambda _: cut) as server, store(server.url).open("a") as stream:
            assert stream.read(100_000) == b"x" * 100_000
            with pytest.raises(Unavailable, match="broke off"):
                stream.read()

    def test_a_small_object_that_breaks_off_is_read_again(self) -> None:
        cut = answer(200, b"on", Content_Length="3", ETag='"v1"', Last_Modified="Wed, 18 Nov 2026 12:00:00 GMT")
        with loopback(in_turn(cut, FOUND)) as server:
            stored = store(server.url).get("a")

        assert stored is not None
        assert stored.body == b"one"


class TestThrottling:
    def test_a_short_wait_is_waited(self) -> None:
        pauses: list[float] = []
        with loopback(in_turn(error(503, "SlowDown", Retry_After="1"), FOUND)) as server:
            stored = store(server.url, pauses.append).get("a")

        assert stored is not None
        assert pauses == [1.0]

    def test_a_long_wait_is_left_to_the_caller(self) -> None:
        slow = error(503, "SlowDown", Retry_After="7")
        with loopback(lambda _: slow) as server, pytest.raises(Throttled) as caught:
            store(server.url).get("a")

        assert caught.value.retry_after == 7
        assert len(server.requests) == 1

    @pytest.mark.parametrize("said", [error(503, "SlowDown"), error(429, "TooManyRequests")])
    def test_a_throttled_conditional_write_is_told_at_once(self, said: bytes) -> None:
        with loopback(lambda _: said) as server, pytest.raises(Throttled) as caught:
            store(server.url).create("a", b"one", TEXT)

        assert caught.value.retry_after is None
        assert len(server.requests) == 1


class TestConditionalWrites:
    """They are sent once, and a lost answer is told as what it is."""

    def test_a_lost_answer_is_ambiguous_and_the_write_was_done(self, s3: S3Access, bucket: str) -> None:
        with loopback(lambda request: forward(request, s3.endpoint)) as server:
            through = S3Store(client(server.url, access_key=s3.access_key, secret_key=s3.secret_key), bucket)

            with pytest.raises(Ambiguous):
                through.create("a", b"one", TEXT)

        direct = S3Store(client(s3.endpoint, access_key=s3.access_key, secret_key=s3.secret_key), bucket)
        stored = direct.get("a")
        assert stored is not None
        assert stored.body == b"one"
        assert len(server.requests) == 1

    @pytest.mark.parametrize("status", [500, 502, 503, 504])
    def test_a_failing_server_does_not_say_whether_it_was_done(self, status: int) -> None:
        with loopback(lambda _: answer(status)) as server, pytest.raises(Ambiguous):
            store(server.url).replace("a", b"one", TEXT, "v0")

        assert len(server.requests) == 1

    def test_no_answer_in_time_is_ambiguous(self) -> None:
        over = threading.Event()

        def hang(_: Request) -> None:
            over.wait(10)

        with loopback(hang) as server:
            with pytest.raises(Ambiguous):
                S3Store(client(server.url, read_timeout=0.2), "bucket").create("a", b"one", TEXT)
            over.set()

        assert len(server.requests) == 1

    def test_what_was_never_sent_is_not_ambiguous(self, closed_url: str) -> None:
        with pytest.raises(Unavailable) as caught:
            store(closed_url).create("a", b"one", TEXT)

        assert not isinstance(caught.value, Ambiguous)

    @pytest.mark.parametrize(
        "said",
        [error(412, "PreconditionFailed"), error(409, "ConditionalRequestConflict"), error(404, "NoSuchKey")],
    )
    def test_each_service_s_way_to_say_that_it_changed(self, said: bytes) -> None:
        with loopback(lambda _: said) as server, pytest.raises(PreconditionFailed):
            store(server.url).replace("a", b"one", TEXT, "v0")

    def test_a_missing_bucket_is_not_a_lost_race(self) -> None:
        with loopback(lambda _: error(404, "NoSuchBucket")) as server, pytest.raises(ArchivoltError) as caught:
            store(server.url).replace("a", b"one", TEXT, "v0")

        assert type(caught.value) is Unavailable


class TestOtherWrites:
    """They can be repeated, and are."""

    def test_a_lost_answer_is_asked_for_again(self) -> None:
        with loopback(in_turn(None, PUT)) as server:
            version = store(server.url).put("a", b"one", TEXT)

        assert version == "v1"
        assert [request.body for request in server.requests] == [b"one", b"one"]

    def test_a_file_is_sent_again_from_where_it_stood(self) -> None:
        file = io.BytesIO(b"skipped" + b"x" * 100_000)
        file.seek(7)
        with loopback(in_turn(FAILED, PUT)) as server:
            store(server.url).put("a", file, TEXT)

        assert [request.body for request in server.requests] == [b"x" * 100_000, b"x" * 100_000]

    def test_answers_lost_every_time_are_ambiguous(self) -> None:
        with loopback(lambda _: None) as server, pytest.raises(Ambiguous):
            store(server.url).delete("a")

        assert len(server.requests) == 1 + len(PAUSES)

    def test_a_delete_of_what_is_gone_is_a_success(self) -> None:
        with loopback(lambda _: error(404, "NoSuchKey")) as server:
            store(server.url).delete("a")

        assert [request.method for request in server.requests] == ["DELETE"]

"""Every way in which Paperless fails becomes the right class of error, and tells nobody a secret."""

from __future__ import annotations

import socket
import traceback
from collections.abc import Callable

import httpx
import pytest

from shared.domain.paperless import FieldIds, LabelKind, Labels
from shared.domain.retry import ErrorClass, PaperlessError
from shared.ports import Archive
from tests.adapters.conftest import ADMIN
from tests.adapters.loopback import Request, answer, in_turn, loopback
from tests.contracts.archive import done, labels_of, upload_of
from tests.stand_ins.paperless.http_server import HttpServer
from tests.stand_ins.paperless.options import VERSIONS, Options

Connect = Callable[..., Archive]
Start = Callable[[Options], HttpServer]
BreakDown = Callable[..., None]
Ask = Callable[[Archive, Labels], object]

IMPATIENT = {"PAPERLESS_TIMEOUT_SECONDS": "0.3", "PAPERLESS_UPLOAD_TIMEOUT_SECONDS": "0.3"}
SECRETS = {"CF_ACCESS_CLIENT_ID": "edge-id-7f3a", "CF_ACCESS_CLIENT_SECRET": "edge-secret-91cc"}
HTML = {"Content_Type": "text/html; charset=utf-8"}
JSON = {"Content_Type": "application/json"}


def look(archive: Archive, labels: Labels) -> object:
    return archive.find("one", labels)


def send(archive: Archive, labels: Labels) -> object:
    return archive.upload(upload_of(labels, "one"))


ASKED: dict[str, Ask] = {
    "version": lambda archive, _: archive.version(),
    "find": look,
    "count_unchecked": lambda archive, labels: archive.count_unchecked("one", labels.fields.source_uuid),
    "upload": send,
    "task": lambda archive, _: archive.task("a-task"),
    "open_tasks": lambda archive, _: archive.open_tasks(),
    "acknowledge": lambda archive, _: archive.acknowledge([]),
    "checksum": lambda archive, _: archive.checksum(1),
    "label": lambda archive, _: archive.label(LabelKind.TAG, 1),
    "find_label": lambda archive, _: archive.find_label(LabelKind.TAG, "source"),
    "ensure_label": lambda archive, _: archive.ensure_label(LabelKind.TAG, "new"),
    "count_labels": lambda archive, _: archive.count_labels(LabelKind.TAG),
}
READ = [name for name in ASKED if name not in ("version", "acknowledge")]
# What tells that nothing is there, and is read as that.
UNDERSTOOD = [("task", b"[]"), ("open_tasks", b"[]"), ("checksum", b"null"), ("label", b"null")]
LABELS = Labels(1, 2, 3, 4, 5, FieldIds(1, 2, 3))
SHAPES = [b"{}", b"[]", b"null", b'[{"status": "ok"}]', b'{"results": [{}], "next": null}']

# kind of fault, its details, what a question then is, what an upload then is
FAULTS = [
    ("refused", {}, ErrorClass.DOWN, ErrorClass.AMBIGUOUS),
    ("hung", {}, ErrorClass.DOWN, ErrorClass.AMBIGUOUS),
    ("lost_answer", {}, ErrorClass.DOWN, ErrorClass.AMBIGUOUS),
    ("error", {"status": 500}, ErrorClass.DOWN, ErrorClass.DOWN),
    ("error", {"status": 502}, ErrorClass.DOWN, ErrorClass.AMBIGUOUS),
    ("error", {"status": 503}, ErrorClass.DOWN, ErrorClass.DOWN),
    ("error", {"status": 504}, ErrorClass.DOWN, ErrorClass.AMBIGUOUS),
    ("error", {"status": 520}, ErrorClass.DOWN, ErrorClass.AMBIGUOUS),
    ("unauthorized", {}, ErrorClass.AUTH, ErrorClass.AUTH),
    ("forbidden", {}, ErrorClass.CONFIG, ErrorClass.CONFIG),
    ("forbidden", {"html": True}, ErrorClass.EDGE, ErrorClass.EDGE),
    ("login_redirect", {}, ErrorClass.EDGE, ErrorClass.EDGE),
    ("throttled", {"retry_after": 7}, ErrorClass.THROTTLED, ErrorClass.THROTTLED),
]


@pytest.fixture(params=VERSIONS)
def server(paperless: Start, request: pytest.FixtureRequest) -> HttpServer:
    return paperless(Options(request.param, (ADMIN,), tag_cost=False))


@pytest.fixture
def break_down(server: HttpServer) -> BreakDown:
    """Makes one thing go wrong, and nothing else any more."""

    def arrange(kind: str, **details: object) -> None:
        httpx.delete(f"{server.url}/stand-in/faults", timeout=5).raise_for_status()
        httpx.post(f"{server.url}/stand-in/faults", json={"kind": kind, **details}, timeout=5).raise_for_status()

    return arrange


@pytest.fixture
def archive(server: HttpServer, connect: Connect) -> Archive:
    return connect(server.url, **IMPATIENT, **SECRETS)


@pytest.fixture
def labels(archive: Archive) -> Labels:
    return labels_of(archive)


def failure(ask: Ask, archive: Archive, labels: Labels) -> PaperlessError:
    with pytest.raises(PaperlessError) as failed:
        ask(archive, labels)
    return failed.value


@pytest.mark.parametrize(("kind", "details", "asked", "sent"), FAULTS)
def test_a_fault_has_its_class_for_a_question_and_for_an_upload(
    archive: Archive,
    labels: Labels,
    break_down: BreakDown,
    kind: str,
    details: dict[str, object],
    asked: ErrorClass,
    sent: ErrorClass,
) -> None:
    classes = []
    for ask in (look, send):
        break_down(kind, **details)
        classes.append(failure(ask, archive, labels).error_class)

    assert classes == [asked, sent]


def test_nobody_listening_is_an_outage_for_a_question_and_for_an_upload(connect: Connect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    archive = connect(f"http://127.0.0.1:{port}")

    classes = [failure(ask, archive, LABELS).error_class for ask in (look, send)]

    assert classes == [ErrorClass.DOWN, ErrorClass.DOWN]


def test_how_long_to_wait_comes_with_a_429(archive: Archive, labels: Labels, break_down: BreakDown) -> None:
    break_down("throttled", retry_after=7)

    assert failure(look, archive, labels).fault.retry_after == 7.0


def test_an_upload_whose_answer_was_lost_has_arrived(archive: Archive, labels: Labels, break_down: BreakDown) -> None:
    upload = upload_of(labels, "one")
    break_down("lost_answer")

    with pytest.raises(PaperlessError) as failed:
        archive.upload(upload)

    assert failed.value.error_class is ErrorClass.AMBIGUOUS
    [task] = archive.open_tasks()
    assert task.file_name == upload.file_name
    assert [document.id for document in archive.find("one", labels)] == [done(archive, task.task_id).document_id]


def test_with_redis_down_questions_are_answered_and_uploads_are_not(paperless: Start, connect: Connect) -> None:
    server = paperless(Options("2.20.15", (ADMIN,)))  # which fails at once; version 3 takes 19 s
    archive = connect(server.url)
    labels = labels_of(archive)
    httpx.post(f"{server.url}/stand-in/faults", json={"kind": "redis_down"}, timeout=5).raise_for_status()

    failed = failure(send, archive, labels)

    assert archive.find("one", labels) == []
    assert (failed.fault.status, failed.error_class) == (500, ErrorClass.DOWN)


def test_a_label_whose_answer_was_lost_is_found_by_the_next_try(archive: Archive, break_down: BreakDown) -> None:
    break_down("lost_answer", method="POST", path="/api/tags/")

    with pytest.raises(PaperlessError):
        archive.ensure_label(LabelKind.TAG, "org:a")
    archive.ensure_label(LabelKind.TAG, "org:a")

    assert archive.count_labels(LabelKind.TAG) == 1


def test_a_label_that_was_made_in_spite_of_a_500_is_found_at_once(archive: Archive, break_down: BreakDown) -> None:
    break_down("error", status=500, method="POST", path="/api/tags/", after_effect=True, times=1)

    made = archive.ensure_label(LabelKind.TAG, "org:a")

    assert archive.label(LabelKind.TAG, made.id) == made


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_a_page_that_comes_with_a_200_is_the_edges(connect: Connect, ask: Ask) -> None:
    with loopback(lambda _: answer(200, b"<html>Log in</html>", **HTML)) as edge:
        failed = failure(ask, connect(edge.url), LABELS)

    assert failed.error_class is ErrorClass.EDGE


@pytest.mark.parametrize("body", [b'{"count": 1, "resul', b"", b"\xff\xfe"])
def test_json_that_is_none_is_not_taken_for_an_answer(connect: Connect, body: bytes) -> None:
    with loopback(lambda _: answer(200, body, **JSON)) as edge:
        failed = failure(look, connect(edge.url), LABELS)

    assert failed.error_class is ErrorClass.EDGE


@pytest.mark.parametrize(
    ("name", "body"),
    [(name, body) for name in READ for body in SHAPES if (name, body) not in UNDERSTOOD],
)
def test_json_of_another_shape_stops_the_run_instead_of_crashing_it(connect: Connect, name: str, body: bytes) -> None:
    with loopback(lambda _: answer(200, body, **JSON)) as edge:
        failed = failure(ASKED[name], connect(edge.url), LABELS)

    assert failed.error_class is ErrorClass.CONFIG


def test_an_answer_cut_off_halfway_is_no_answer(connect: Connect) -> None:
    with loopback(lambda _: answer(200, b"{}", **JSON, Content_Length="500")) as cut:
        classes = [failure(ask, connect(cut.url), LABELS).error_class for ask in (look, send)]

    assert classes == [ErrorClass.DOWN, ErrorClass.AMBIGUOUS]


def test_an_answer_that_cannot_be_unpacked_is_no_answer(connect: Connect) -> None:
    with loopback(lambda _: answer(200, b"not gzip", **JSON, Content_Encoding="gzip")) as garbled:
        classes = [failure(ask, connect(garbled.url), LABELS).error_class for ask in (look, send)]

    assert classes == [ErrorClass.DOWN, ErrorClass.AMBIGUOUS]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_never_followed(connect: Connect, status: int) -> None:
    with loopback(lambda _: answer(status, b"", Location="/elsewhere/")) as edge:
        failed = failure(send, connect(edge.url), LABELS)

    assert failed.error_class is ErrorClass.EDGE
    assert [request.path for request in edge.requests] == ["/api/documents/post_document/"]


@pytest.mark.parametrize("header", ["Wed, 18 Nov 2026 10:00:00 GMT", "soon", "-1", ""])
def test_a_waiting_time_that_is_no_number_of_seconds_is_left_out(connect: Connect, header: str) -> None:
    with loopback(in_turn(answer(429, b"", Retry_After=header))) as server:
        failed = failure(look, connect(server.url), LABELS)

    assert failed.error_class is ErrorClass.THROTTLED
    assert failed.fault.retry_after is None


def test_every_call_carries_the_credentials_and_asks_for_version_9_in_no_language(
    server: HttpServer, connect: Connect, labels: Labels
) -> None:
    with loopback(relay_to(server.url)) as edge:
        archive = connect(edge.url, **SECRETS)
        for ask in ASKED.values():
            ask(archive, labels)

    assert len(edge.requests) >= len(ASKED)
    for request in edge.requests:
        headers = sent_headers(request)
        assert headers["authorization"] == f"Token {ADMIN.token}"
        assert headers["cf-access-client-id"] == SECRETS["CF_ACCESS_CLIENT_ID"]
        assert headers["cf-access-client-secret"] == SECRETS["CF_ACCESS_CLIENT_SECRET"]
        assert headers["accept"] == "application/json; version=9"
        assert "accept-language" not in headers


def test_without_cloudflare_no_header_of_it_is_sent(connect: Connect) -> None:
    with loopback(in_turn(answer(200, b"{}", **JSON, X_Version="3.0.5"))) as server:
        connect(server.url).version()

    assert not [name for name in sent_headers(server.requests[0]) if name.startswith("cf-")]


def test_a_secret_that_ends_with_a_line_feed_is_sent_without_it(connect: Connect) -> None:
    with loopback(in_turn(answer(200, b"{}", **JSON, X_Version="3.0.5"))) as server:
        connect(server.url, PAPERLESS_API_TOKEN="a-token\n").version()

    assert sent_headers(server.requests[0])["authorization"] == "Token a-token"


@pytest.mark.parametrize("kind", ["refused", "hung", "error", "unauthorized", "forbidden", "login_redirect"])
def test_no_failure_tells_a_secret(archive: Archive, labels: Labels, break_down: BreakDown, kind: str) -> None:
    break_down(kind)

    failed = failure(send, archive, labels)

    told = "".join((repr(failed), str(failed), *traceback.format_exception(failed), repr(archive), repr(vars(archive))))
    assert not [secret for secret in (ADMIN.token, *SECRETS.values()) if secret in told]


def sent_headers(request: Request) -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers.items()}


def relay_to(url: str) -> Callable[[Request], bytes]:
    """An edge that passes everything on."""

    def respond(request: Request) -> bytes:
        headers = {name: value for name, value in request.headers.items() if name.lower() not in ("host", "connection")}
        real = httpx.request(request.method, url + request.path, headers=headers, content=request.body, timeout=10)
        kept = {name: real.headers[name] for name in ("Content-Type", "X-Version") if name in real.headers}
        return answer(real.status_code, real.content, **{name.replace("-", "_"): value for name, value in kept.items()})

    return respond

"""The audit API over HTTP, against the real audit-callback on a real PostgreSQL."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid4

import pytest

from shared.adapters import ed25519
from shared.adapters.audit_api import AuditApiSettings, HttpAuditApi
from shared.adapters.postgres.database import Database
from shared.adapters.postgres.ledger import PostgresLedger
from shared.domain.audit import ArchiveReport, ArchiveStatus, Disposition, OrganizationLabels, ReportedDocument
from shared.domain.errors import ConfigError, Unavailable
from shared.domain.keys import DocumentType, ObjectKey
from tests.adapters.loopback import Request, answer, loopback
from tests.functions.hosting import served
from tests.http import issuer as issuers

KEY = "an-internal-api-key"
NOON = datetime(2026, 5, 8, 12, tzinfo=UTC)
EMAIL = "drain@project.iam.gserviceaccount.com"
AUDIENCE = "https://audit-callback.example"
GOOGLE: dict[str, object] = {
    "iss": "https://accounts.google.com",
    "aud": AUDIENCE,
    "sub": "1234567890",
    "email": EMAIL,
    "email_verified": True,
}

Open = Callable[..., HttpAuditApi]


@pytest.fixture
def env(database: str) -> dict[str, str]:
    return {"DATABASE_URL": database, "RECEIPT_SIGNING_KEY": ed25519.generate(), "INTERNAL_API_KEY": KEY}


@pytest.fixture
def callback(env: dict[str, str]) -> Iterator[str]:
    with served("audit-callback", env) as url:
        yield url


@pytest.fixture
def ledger(database: str) -> Iterator[PostgresLedger]:
    with closing(Database.at(database)) as opened:
        yield PostgresLedger(opened, 5)


@pytest.fixture
def open_api() -> Iterator[Open]:
    """APIs at an address, closed after the test."""
    with ExitStack() as on_exit:

        def api(url: str, identity: str | None = None, **settings: str) -> HttpAuditApi:
            read = AuditApiSettings.from_env({"AUDIT_CALLBACK_URL": url, "INTERNAL_API_KEY": KEY, **settings})
            made = HttpAuditApi(read) if identity is None else HttpAuditApi(read, identity)
            return on_exit.enter_context(closing(made))

        yield api


@pytest.fixture
def api(callback: str, open_api: Open) -> HttpAuditApi:
    return open_api(callback)


def archived(key: ObjectKey, *ids: UUID) -> ArchiveReport:
    return ArchiveReport(
        key=key,
        organization_name="Firma AS",
        disposition=Disposition.ARCHIVED,
        documents=tuple(ReportedDocument(each, NOON, "trace-1") for each in ids),
        retry_count=1,
        last_error="503 once",
        paperless_document_id=7,
        paperless_url="https://archive.example/documents/7/",
        surplus=(8, 9),
    )


def some_key() -> ObjectKey:
    return ObjectKey(uuid4(), DocumentType.CARE_PLAN, uuid4().hex * 2)


def test_a_report_becomes_a_row_for_each_document_with_a_receipt(api: HttpAuditApi, ledger: PostgresLedger) -> None:
    key, ids = some_key(), [uuid4(), uuid4()]

    api.record(archived(key, *ids))

    rows = ledger.job(key)
    assert {row.document_id for row in rows} == set(ids)
    assert {(row.status, row.paperless_document_id, row.retry_count) for row in rows} == {
        (ArchiveStatus.ARCHIVED, 7, 1)
    }
    assert all(row.receipt is not None for row in rows)


def test_a_report_may_be_sent_again(api: HttpAuditApi, ledger: PostgresLedger) -> None:
    key, document = some_key(), uuid4()
    api.record(archived(key, document))
    first = ledger.job(key)

    api.record(archived(key, document))

    assert ledger.job(key) == first


def test_a_report_without_documents_concerns_every_row_of_its_key(api: HttpAuditApi, ledger: PostgresLedger) -> None:
    key, document = some_key(), uuid4()
    waiting = ArchiveReport(key, "Firma AS", Disposition.QUEUED, (ReportedDocument(document, NOON),))
    api.record(waiting)

    api.record(ArchiveReport(key, "Firma AS", Disposition.DEAD, (), reason="sidecar_broken"))

    assert [(row.disposition, row.reason) for row in ledger.job(key)] == [(Disposition.DEAD, "sidecar_broken")]


def test_labels_are_none_until_they_are_saved_and_then_the_last_saved(api: HttpAuditApi) -> None:
    organization = uuid4()

    before = api.labels(organization)
    for labels in (OrganizationLabels(3, 4), OrganizationLabels(5, 6)):
        api.save_labels(organization, labels)

    assert before is None
    assert api.labels(organization) == OrganizationLabels(5, 6)
    assert api.labels(uuid4()) is None


def calls(api: HttpAuditApi) -> list[Callable[[], object]]:
    return [
        lambda: api.record(archived(some_key(), uuid4())),
        lambda: api.labels(uuid4()),
        lambda: api.save_labels(uuid4(), OrganizationLabels(1, 2)),
    ]


def test_a_wrong_key_is_told_without_the_key(callback: str, open_api: Open) -> None:
    for call in calls(open_api(callback, INTERNAL_API_KEY="another-internal-key")):
        with pytest.raises(Unavailable, match="answered 401") as failed:
            call()
        assert "another-internal-key" not in repr(failed.value)


@pytest.mark.parametrize("status", [302, 400, 403, 422, 429, 500, 502, 503, 504])
def test_an_answer_that_is_no_success_is_unavailable(open_api: Open, status: int) -> None:
    with loopback(lambda _: answer(status, b"{}", Location="/elsewhere")) as server:
        for call in calls(open_api(server.url)):
            with pytest.raises(Unavailable, match=f"answered {status}"):
                call()

    assert "/elsewhere" not in [request.path for request in server.requests]


def test_nobody_listening_is_unavailable(open_api: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    for call in calls(open_api(f"http://127.0.0.1:{port}")):
        with pytest.raises(Unavailable, match="did not answer"):
            call()


def test_a_silent_server_is_unavailable_in_time(open_api: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        api = open_api(f"http://127.0.0.1:{silent.getsockname()[1]}", AUDIT_CALLBACK_TIMEOUT_SECONDS="0.2")

        with pytest.raises(Unavailable, match="did not answer: ReadTimeout"):
            api.labels(uuid4())


def test_a_database_that_is_down_is_unavailable(env: dict[str, str], open_api: Open) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    with served("audit-callback", {**env, "DATABASE_URL": f"postgresql://a:b@127.0.0.1:{port}/c"}) as url:
        for call in calls(open_api(url)):
            with pytest.raises(Unavailable, match="answered 503"):
                call()


@pytest.mark.parametrize("body", [b"", b"<html>", b"{}", b'{"paperlessCorrespondentId": 0, "paperlessOrgTagId": 1}'])
def test_labels_of_another_shape_are_not_taken_for_labels(open_api: Open, body: bytes) -> None:
    with loopback(lambda _: answer(200, body)) as server, pytest.raises(Unavailable, match="something else"):
        open_api(server.url).labels(uuid4())


def test_a_path_before_the_routes_is_kept(open_api: Open) -> None:
    with loopback(lambda _: answer(404)) as server:
        open_api(f"{server.url}/audit-callback").labels(uuid4())

    assert server.requests[0].path.startswith("/audit-callback/internal/v1/paperless-cache/")


def test_our_own_identity_opens_audit_callback_instead_of_a_key(env: dict[str, str], open_api: Open) -> None:
    organization = uuid4()

    with issuers.serving() as google, loopback(lambda _: answer(200, google.sign(GOOGLE).encode())) as metadata:
        auth = {"SERVICE_AUDIENCE": AUDIENCE, "INVOKER_EMAILS": EMAIL, "SERVICE_JWKS_URL": google.url}
        with served("audit-callback", {**env, **auth}) as url:
            api = open_api(url, f"{metadata.url}/identity", AUDIT_CALLBACK_AUDIENCE=AUDIENCE)
            api.save_labels(organization, OrganizationLabels(1, 2))

            assert api.labels(organization) == OrganizationLabels(1, 2)

    assert [asked_for(request) for request in metadata.requests] == [("/identity", AUDIENCE, "Google")] * 2


def test_somebody_elses_identity_does_not(env: dict[str, str], open_api: Open) -> None:
    stranger = {**GOOGLE, "email": "stranger@project.iam.gserviceaccount.com"}

    with issuers.serving() as google, loopback(lambda _: answer(200, google.sign(stranger).encode())) as metadata:
        auth = {"SERVICE_AUDIENCE": AUDIENCE, "INVOKER_EMAILS": EMAIL, "SERVICE_JWKS_URL": google.url}
        with served("audit-callback", {**env, **auth}) as url:
            api = open_api(url, f"{metadata.url}/identity", AUDIT_CALLBACK_AUDIENCE=AUDIENCE)

            with pytest.raises(Unavailable, match="answered 403"):
                api.labels(uuid4())


@pytest.mark.parametrize("status", [404, 500])
def test_without_an_identity_nothing_is_sent(open_api: Open, status: int) -> None:
    with loopback(lambda _: answer(status, b"no token here")) as metadata, loopback(lambda _: answer(200)) as server:
        api = open_api(server.url, f"{metadata.url}/identity", AUDIT_CALLBACK_AUDIENCE=AUDIENCE)

        with pytest.raises(Unavailable, match="did not answer"):
            api.labels(uuid4())

    assert server.requests == []


def test_one_of_the_two_credentials_must_be_set() -> None:
    with pytest.raises(ConfigError, match="INTERNAL_API_KEY or AUDIT_CALLBACK_AUDIENCE"):
        AuditApiSettings.from_env({"AUDIT_CALLBACK_URL": "http://127.0.0.1:1"})


def asked_for(request: Request) -> tuple[str, str, str]:
    parts = urlsplit(request.path)
    headers = {name.lower(): value for name, value in request.headers.items()}
    return parts.path, parse_qs(parts.query)["audience"][0], headers["metadata-flavor"]

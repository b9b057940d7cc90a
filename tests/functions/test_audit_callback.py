"""audit-callback as the functions without a database meet it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from shared.domain.keys import DocumentType, ObjectKey
from tests.functions.conftest import Site
from tests.functions.hosting import loaded
from tests.functions.sending import AUTH

if TYPE_CHECKING:
    from flask.testing import FlaskClient

CACHE, AUDIT = "/internal/v1/paperless-cache", "/internal/v1/archive-audit"


@pytest.fixture(scope="module")
def callback(site: Site) -> Iterator[FlaskClient]:
    with loaded("audit-callback", site.env) as app:
        yield app.test_client()


def report(document: str, **changes: Any) -> dict[str, Any]:
    key = ObjectKey(uuid4(), DocumentType.INVOICE, uuid4().hex * 2)
    return {
        "organizationId": str(key.organization_id),
        "organizationName": "Firma AS",
        "objectKey": key.pdf,
        "disposition": "archived",
        "documents": [{"bilkoDocumentId": document, "timestamp": "2026-05-08T12:00:00Z", "traceId": "t-1"}],
        "paperlessDocumentId": 7,
        "paperlessUrl": "https://archive.example/documents/7/",
        **changes,
    }


def test_a_report_says_of_how_many_documents_it_told_and_may_be_repeated(callback: FlaskClient) -> None:
    document = str(uuid4())
    body = report(document)

    answers = [callback.patch(f"{AUDIT}/{document}", json=body, headers=AUTH) for _ in range(2)]

    assert [(answer.status_code, answer.get_json()) for answer in answers] == [(200, {"documents": 1})] * 2


OTHER_KEY = ObjectKey(uuid4(), DocumentType.INVOICE, "0" * 64)
BAD_REPORTS: dict[str, tuple[dict[str, Any], str]] = {
    "unknown field": ({"colour": "blue"}, "colour"),
    "unknown disposition": ({"disposition": "lost"}, "disposition"),
    "another organisation's key": ({"objectKey": OTHER_KEY.pdf}, "body"),
    "the key of a sidecar": ({"objectKey": OTHER_KEY.sidecar}, "body"),
    "a key that is none": ({"objectKey": "../x"}, "body"),
    "archived without a document": ({"paperlessDocumentId": None}, "body"),
    "archived without a link": ({"paperlessUrl": None}, "body"),
    "another document": ({"documents": []}, "documents"),
    "bad document": ({"documents": [{"bilkoDocumentId": "x"}]}, "documents.0.bilkoDocumentId"),
    "a negative count": ({"retryCount": -1}, "retryCount"),
    "NUL": ({"lastError": "a\x00b"}, "lastError"),
}


@pytest.mark.parametrize(("changes", "field"), BAD_REPORTS.values(), ids=BAD_REPORTS)
def test_a_bad_report_is_refused_by_the_name_of_its_field(
    callback: FlaskClient, changes: dict[str, Any], field: str
) -> None:
    document = str(uuid4())

    answer = callback.patch(f"{AUDIT}/{document}", json=report(document, **changes), headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (422, field)


@pytest.mark.parametrize(
    ("method", "path", "field"),
    [
        ("PATCH", f"{AUDIT}/17", "bilkoDocumentId"),
        ("GET", f"{CACHE}/acme", "organizationId"),
        ("PUT", f"{CACHE}/acme", "organizationId"),
    ],
)
def test_an_id_of_the_path_must_be_a_uuid(callback: FlaskClient, method: str, path: str, field: str) -> None:
    bodies = {"PATCH": report(str(uuid4())), "PUT": {"paperlessCorrespondentId": 1, "paperlessOrgTagId": 2}}

    answer = callback.open(path, method=method, json=bodies.get(method), headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (400, field)


def test_labels_are_remembered_by_organisation(callback: FlaskClient) -> None:
    organization, labels = uuid4(), {"paperlessCorrespondentId": 3, "paperlessOrgTagId": 4}

    before = callback.get(f"{CACHE}/{organization}", headers=AUTH).status_code
    put = callback.put(f"{CACHE}/{organization}", json=labels, headers=AUTH)

    assert (before, put.status_code) == (404, 200)
    assert callback.get(f"{CACHE}/{organization}", headers=AUTH).get_json() == labels


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"paperlessCorrespondentId": 0, "paperlessOrgTagId": 4},
        {"paperlessCorrespondentId": 1, "paperlessOrgTagId": "x"},
        {"paperlessCorrespondentId": 1, "paperlessOrgTagId": 2, "owner": 3},
    ],
    ids=str,
)
def test_labels_that_are_none_are_refused(callback: FlaskClient, body: dict[str, Any]) -> None:
    answer = callback.put(f"{CACHE}/{uuid4()}", json=body, headers=AUTH)

    assert answer.status_code == 422


def test_sealing_chains_what_was_recorded_and_then_nothing_more(callback: FlaskClient) -> None:
    document = str(uuid4())
    callback.patch(f"{AUDIT}/{document}", json=report(document), headers=AUTH)

    sealed = [callback.post("/internal/v1/seal", json={}, headers=AUTH).get_json()["sealed"] for _ in range(2)]

    assert sealed[0] >= 1
    assert sealed[1] == 0


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PATCH", f"{AUDIT}/{OTHER_KEY.organization_id}"),
        ("GET", f"{CACHE}/{OTHER_KEY.organization_id}"),
        ("PUT", f"{CACHE}/{OTHER_KEY.organization_id}"),
        ("POST", "/internal/v1/seal"),
    ],
    ids=["record", "read", "save", "seal"],
)
def test_every_route_asks_who_calls(callback: FlaskClient, method: str, path: str) -> None:
    assert callback.open(path, method=method, json={}).status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [
        ("GET", f"{AUDIT}/x", 405, "PATCH"),
        ("POST", f"{CACHE}/x", 405, "GET, HEAD, PUT"),
        ("GET", "/internal/v1/seal", 405, "POST"),
        ("GET", "/internal/v1/holds", 404, None),
    ],
)
def test_a_wrong_method_or_path_is_told(
    callback: FlaskClient, method: str, path: str, status: int, allowed: str | None
) -> None:
    answer = callback.open(path, method=method, headers=AUTH)

    assert (answer.status_code, answer.headers.get("Allow")) == (status, allowed)


def test_a_report_of_another_type_or_too_large_is_refused(callback: FlaskClient) -> None:
    document = str(uuid4())
    large = report(document, lastError="x" * 1_100_000)

    answers = [
        callback.patch(f"{AUDIT}/{document}", data="a=b", headers=AUTH, content_type="text/plain"),
        callback.patch(f"{AUDIT}/{document}", json=large, headers=AUTH),
    ]

    assert [answer.status_code for answer in answers] == [415, 413]


def test_health_needs_no_key(callback: FlaskClient) -> None:
    assert callback.get("/healthz").get_json() == {"status": "ok", "parts": {"database": "ok"}}

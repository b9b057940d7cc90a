"""archive-write while a part is down: only the queue's failure reaches the caller."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.functions.conftest import Site
from tests.functions.hosting import loaded
from tests.functions.sending import AUTH, fields, form, some_letter

if TYPE_CHECKING:
    from flask.testing import FlaskClient

SEED_BODY = {"error": "Document archived pending. Retry in 5 minutes.", "code": "ARCHIVE_QUEUE_FAILURE"}


@pytest.fixture(scope="module")
def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def without_bucket(site: Site) -> Iterator[FlaskClient]:
    with loaded("archive-write", {**site.env, "AWS_S3_ARCHIVE_BUCKET": "no-such-bucket"}) as app:
        yield app.test_client()


@pytest.fixture(scope="module")
def without_store(site: Site, closed_port: int) -> Iterator[FlaskClient]:
    with loaded("archive-write", {**site.env, "AWS_S3_ENDPOINT": f"http://127.0.0.1:{closed_port}"}) as app:
        yield app.test_client()


@pytest.fixture(scope="module")
def without_database(site: Site, closed_port: int) -> Iterator[FlaskClient]:
    address = f"postgresql://nobody:secret-of-the-database@127.0.0.1:{closed_port}/nothing"
    with loaded("archive-write", {**site.env, "DATABASE_URL": address}) as app:
        yield app.test_client()


@pytest.mark.parametrize("part", ["without_bucket", "without_store"])
def test_a_queue_that_takes_nothing_is_the_answer_of_the_specification(
    request: pytest.FixtureRequest, part: str
) -> None:
    broken: FlaskClient = request.getfixturevalue(part)
    given = form(some_letter())

    answer = broken.post("/v1/archive", data=given, headers=AUTH)

    assert (answer.status_code, answer.get_json()) == (503, SEED_BODY)
    assert int(answer.headers["Retry-After"]) == 300


def test_a_document_the_queue_refused_is_recorded_as_failed_and_taken_later(
    without_bucket: FlaskClient, archive_write: FlaskClient
) -> None:
    content = some_letter()
    given = form(content)
    ids = {name: given[name] for name in ("organizationId", "bilkoDocumentId")}
    without_bucket.post("/v1/archive", data=given, headers=AUTH)

    again = archive_write.post("/v1/archive", data=form(content, **ids), headers=AUTH)

    job = archive_write.get(f"/v1/archive/{again.get_json()['jobId']}", headers=AUTH).get_json()
    assert again.status_code == 202
    assert (job["status"], job["queued"], len(job["documents"])) == ("pending", True, 1)


def test_a_finished_upload_while_the_store_is_down_is_answered_in_the_same_words(without_store: FlaskClient) -> None:
    body = {**fields(some_letter()), "uploadId": "0" * 32}

    answer = without_store.post("/v1/archive", json=body, headers=AUTH)

    assert (answer.status_code, answer.get_json()) == (503, SEED_BODY)


def test_a_database_that_is_down_is_not_the_callers_trouble(without_database: FlaskClient, site: Site) -> None:
    given = form(some_letter())
    began = time.monotonic()

    answer = without_database.post("/v1/archive", data=given, headers=AUTH)

    assert (answer.status_code, answer.get_json()["audit"]) == (202, "deferred")
    assert time.monotonic() - began < 5
    assert len(site.queued(f"org/{given['organizationId']}/")) == 2


def test_a_queued_job_is_shown_from_its_sidecar_while_the_database_is_down(without_database: FlaskClient) -> None:
    given = form(some_letter())
    job_id = without_database.post("/v1/archive", data=given, headers=AUTH).get_json()["jobId"]

    answer = without_database.get(f"/v1/archive/{job_id}", headers=AUTH)

    assert (answer.status_code, answer.get_json()["status"]) == (200, "pending")
    assert answer.get_json()["documents"][0]["bilkoDocumentId"] == given["bilkoDocumentId"]


def test_an_idempotency_key_does_no_harm_while_the_database_is_down(without_database: FlaskClient) -> None:
    content = some_letter()
    given = form(content)
    ids = {name: given[name] for name in ("organizationId", "bilkoDocumentId")}
    headers = {**AUTH, "Idempotency-Key": "k-1"}

    first = without_database.post("/v1/archive", data=given, headers=headers)
    second = without_database.post("/v1/archive", data=form(content, **ids), headers=headers)

    assert [first.status_code, second.status_code] == [202, 202]
    assert first.get_json() == second.get_json()


@pytest.mark.parametrize(
    ("part", "parts"),
    [
        ("without_bucket", {"queue": "failed", "database": "ok"}),
        ("without_database", {"queue": "ok", "database": "failed"}),
    ],
)
def test_health_names_the_part_that_is_down(request: pytest.FixtureRequest, part: str, parts: dict[str, str]) -> None:
    broken: FlaskClient = request.getfixturevalue(part)

    answer = broken.get("/healthz")

    assert (answer.status_code, answer.get_json()["parts"]) == (503, parts)
    assert "secret" not in answer.get_data(as_text=True)

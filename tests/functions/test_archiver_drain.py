"""archiver-drain as Scheduler meets it: it answers 200 and says why it stopped."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from tests.functions.conftest import Site
from tests.functions.hosting import loaded, served
from tests.functions.sending import AUTH, form, some_letter

if TYPE_CHECKING:
    from flask.testing import FlaskClient


@pytest.fixture(scope="module")
def env(site: Site) -> Iterator[dict[str, str]]:
    with served("audit-callback", site.env) as url:
        yield {**site.env, "AUDIT_CALLBACK_URL": url}


@pytest.fixture(scope="module")
def drain(env: dict[str, str]) -> Iterator[FlaskClient]:
    with loaded("archiver-drain", env) as app:
        yield app.test_client()


@pytest.fixture
def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture
def job_id(archive_write: FlaskClient) -> str:
    """A document in the queue."""
    accepted: str = archive_write.post("/v1/archive", data=form(some_letter()), headers=AUTH).get_json()["jobId"]
    return accepted


def status_of(archive_write: FlaskClient, job_id: str) -> str:
    status: str = archive_write.get(f"/v1/archive/{job_id}", headers=AUTH).get_json()["status"]
    return status


def test_a_run_without_a_body_has_the_usual_budget(drain: FlaskClient, archive_write: FlaskClient, job_id: str) -> None:
    answer = drain.post("/", headers=AUTH)

    assert (answer.status_code, answer.get_json()["stoppedBecause"]) == (200, "queue_empty")
    assert status_of(archive_write, job_id) == "archived"


def test_an_empty_queue_is_a_short_run(drain: FlaskClient) -> None:
    drain.post("/", headers=AUTH)

    report = drain.post("/", json={"budgetSeconds": 60, "shard": 0, "shards": 1}, headers=AUTH).get_json()

    assert (report["queueDepthAtStart"], report["archived"], report["stoppedBecause"]) == (0, 0, "queue_empty")


def test_every_document_belongs_to_exactly_one_shard(
    drain: FlaskClient, archive_write: FlaskClient, job_id: str
) -> None:
    reports = [drain.post("/", json={"shard": shard, "shards": 3}, headers=AUTH).get_json() for shard in range(3)]

    assert sum(report["archived"] for report in reports) == 1
    assert status_of(archive_write, job_id) == "archived"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"budgetSeconds": 0}, "budgetSeconds"),
        ({"budgetSeconds": 10_000}, "budgetSeconds"),
        ({"shards": 0}, "shards"),
        ({"shards": 65}, "shards"),
        ({"shard": -1}, "shard"),
        ({"colour": "blue"}, "colour"),
        ([], "body"),
    ],
    ids=str,
)
def test_a_bad_order_is_refused_by_the_name_of_its_field(drain: FlaskClient, body: Any, field: str) -> None:
    answer = drain.post("/", json=body, headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (422, field)


def test_a_shard_that_is_not_among_the_shards_is_refused(drain: FlaskClient) -> None:
    answer = drain.post("/", json={"shard": 3, "shards": 3}, headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (422, "shard")


def test_whoever_is_not_known_starts_no_run(drain: FlaskClient) -> None:
    assert drain.post("/").status_code == 401


@pytest.mark.parametrize(
    ("kind", "details", "reason"),
    [
        ("unauthorized", {}, "paperless_auth"),
        ("login_redirect", {}, "paperless_auth"),
        ("forbidden", {}, "paperless_config"),
    ],
)
def test_a_run_that_stops_early_answers_200_says_why_and_leaves_the_queue(
    drain: FlaskClient,
    site: Site,
    archive_write: FlaskClient,
    job_id: str,
    kind: str,
    details: dict[str, object],
    reason: str,
) -> None:
    faults, before = f"{site.env['PAPERLESS_URL']}/stand-in/faults", site.queued("org/")
    httpx.post(faults, json={"kind": kind, **details}, timeout=5).raise_for_status()

    answer = drain.post("/", headers=AUTH)

    httpx.delete(faults, timeout=5).raise_for_status()
    assert (answer.status_code, answer.get_json()["stoppedBecause"]) == (200, reason)
    assert answer.get_json()["charged"] == 0
    assert site.queued("org/") == before
    assert status_of(archive_write, job_id) == "pending"


def test_a_queue_that_is_down_is_a_report_too(env: dict[str, str], closed_port: int) -> None:
    with loaded("archiver-drain", {**env, "AWS_S3_ENDPOINT": f"http://127.0.0.1:{closed_port}"}) as app:
        answer = app.test_client().post("/", headers=AUTH)

    assert (answer.status_code, answer.get_json()["stoppedBecause"]) == (200, "store_down")


def test_with_audit_callback_down_the_document_is_not_forgotten(
    env: dict[str, str], archive_write: FlaskClient, site: Site, job_id: str, closed_port: int
) -> None:
    with loaded("archiver-drain", {**env, "AUDIT_CALLBACK_URL": f"http://127.0.0.1:{closed_port}"}) as app:
        answer = app.test_client().post("/", headers=AUTH)

    job = archive_write.get(f"/v1/archive/{job_id}", headers=AUTH).get_json()
    assert (answer.status_code, answer.get_json()["archived"]) == (200, 0)
    assert (job["status"], job["queued"]) == ("pending", True)


def test_health_names_paperless_when_it_is_down(drain: FlaskClient, site: Site) -> None:
    faults = f"{site.env['PAPERLESS_URL']}/stand-in/faults"
    before = drain.get("/healthz").get_json()
    httpx.post(faults, json={"kind": "error", "status": 503}, timeout=5).raise_for_status()

    answer = drain.get("/healthz")

    httpx.delete(faults, timeout=5).raise_for_status()
    assert before == {"status": "ok", "parts": {"queue": "ok", "paperless": "ok"}}
    assert (answer.status_code, answer.get_json()["parts"]) == (503, {"queue": "ok", "paperless": "failed"})


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/", 405), ("POST", "/v1/runs", 404)])
def test_a_wrong_method_or_path_is_told(drain: FlaskClient, method: str, path: str, status: int) -> None:
    assert drain.open(path, method=method, headers=AUTH).status_code == status

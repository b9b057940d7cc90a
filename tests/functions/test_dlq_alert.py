"""dlq-alert over HTTP, on a real database, real buckets, and the functions it asks."""

from __future__ import annotations

import json
import socket
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

import httpx
import pytest
from mypy_boto3_s3 import S3Client

from scripts.local.databases import PostgresAccess
from scripts.local.seaweedfs import S3Access
from shared.adapters.postgres.database import Database
from shared.adapters.postgres.operator_ledger import PostgresOperatorLedger
from shared.domain.holds import Hold
from shared.domain.keys import ObjectKey
from tests.functions.conftest import Site, new_site
from tests.functions.hosting import loaded, served
from tests.functions.sending import AUTH, form, some_letter

if TYPE_CHECKING:
    from flask.testing import FlaskClient

LETTERS = "/v1/dead-letters"
REASON: dict[str, object] = {"reason": "a test page", "actor": "Kari"}


@dataclass(frozen=True, slots=True)
class Desk:
    """An operator's desk, and what happens around it."""

    site: Site
    api: FlaskClient
    archive_write: FlaskClient
    drain: str

    def get(self, path: str, **query: str) -> Any:
        answer = self.api.get(path, query_string=query, headers=AUTH)
        assert answer.status_code == 200, answer.get_data()
        return answer.get_json()

    def post(self, path: str, body: Mapping[str, object], status: int = 200) -> Any:
        answer = self.api.post(path, json=body, headers=AUTH)
        assert answer.status_code == status, answer.get_data()
        return answer.get_json()

    def poisoned(self, organization: str | None = None) -> str:
        """A document that Paperless has refused three times."""
        job_id = self.send(some_letter(), organization)
        key = ObjectKey.from_job_id(job_id)
        assert key is not None
        stem = f"{key.organization_id.hex}-{key.document_type}-{key.sha256}"
        for attempt in range(1, 4):
            self.paperless("POST", {"kind": "error", "status": 413, "file_name": f"{stem}-{attempt}.pdf"})
        for _ in range(3):
            httpx.post(self.drain, json={}, headers=AUTH, timeout=60, trust_env=False).raise_for_status()
        self.paperless("DELETE")
        return job_id

    def send(self, content: bytes, organization: str | None = None) -> str:
        given = form(content) if organization is None else form(content, organizationId=organization)
        job_id: str = self.archive_write.post("/v1/archive", data=given, headers=AUTH).get_json()["jobId"]
        return job_id

    def paperless(self, method: str, body: dict[str, object] | None = None) -> None:
        url = f"{self.site.env['PAPERLESS_URL']}/stand-in/faults"
        httpx.request(method, url, json=body, timeout=10, trust_env=False).raise_for_status()

    def job(self, job_id: str) -> Any:
        return self.archive_write.get(f"/v1/archive/{job_id}", headers=AUTH).get_json()


@pytest.fixture(scope="module")
def desk(postgres: PostgresAccess, s3: S3Access, s3_client: S3Client) -> Iterator[Desk]:
    with ExitStack() as on_exit:
        site = on_exit.enter_context(new_site(postgres, s3, s3_client, "3.0.5"))
        callback = on_exit.enter_context(served("audit-callback", site.env))
        env = {**site.env, "AUDIT_CALLBACK_URL": callback}
        drain = on_exit.enter_context(served("archiver-drain", env))
        writer = on_exit.enter_context(loaded("archive-write", site.env))
        alert = on_exit.enter_context(loaded("dlq-alert", {**env, "ARCHIVER_DRAIN_URL": drain}))
        yield Desk(site, alert.test_client(), writer.test_client(), f"{drain}/")


@pytest.fixture(scope="module")
def dead(desk: Desk) -> str:
    return desk.poisoned()


def alerts_of(caplog: pytest.LogCaptureFixture, organization: str) -> list[dict[str, Any]]:
    lines = [getattr(record, "fields", {}) for record in caplog.records]
    alerts = [line for line in lines if line.get("action") == "archive.dlq_alert"]
    return [alert for alert in alerts if organization in alert["organizations"]]


def test_a_poisoned_document_is_announced_listed_shown_sent_back_and_archived_with_its_history(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    job_id = desk.poisoned()
    organization = desk.job(job_id)["organizationId"]

    for _ in range(3):
        desk.post("/", {})
    listed = desk.get(LETTERS, organizationId=organization)
    letter = desk.get(f"{LETTERS}/{job_id}")
    sent = desk.post(f"{LETTERS}/redrive", {"ids": [job_id], "actor": "Kari"})
    queued = desk.get(f"{LETTERS}/{job_id}")
    desk.post("/v1/runs", {"actor": "Kari", "budgetSeconds": 30})

    (alert,) = alerts_of(caplog, organization)
    assert (alert["causes"], alert["reasons"]) == (["newly_dead"], {"refused": 1})
    assert (listed["source"], [each["id"] for each in listed["letters"]]) == ("rows", [job_id])
    assert (letter["reason"], letter["standing"], len(letter["errors"])) == ("refused", "dead", 3)
    assert "413" in letter["lastError"]
    assert sent["items"] == [{"id": job_id, "outcome": "redriven", "detail": "It is queued again, with its history."}]
    assert (queued["standing"], len(queued["errors"]), queued["redrives"][0]["actor"]) == ("queued", 3, "Kari")
    assert desk.job(job_id)["status"] == "archived"
    assert desk.get(f"{LETTERS}/{job_id}")["standing"] == "archived"


def test_the_pdf_of_a_letter_can_be_downloaded_with_the_address_it_shows(desk: Desk, dead: str) -> None:
    download = desk.get(f"{LETTERS}/{dead}")["download"]

    with urllib.request.urlopen(download["url"], timeout=10) as answer:
        assert answer.read().startswith(b"%PDF")


def test_the_watch_counts_what_the_list_then_shows(desk: Desk, dead: str) -> None:
    first = desk.post("/", {})
    second = desk.post("/", {})

    assert (first["depth"] >= 1, first["byReason"]["refused"] >= 1) == (True, True)
    assert (second["newlyDead"], second["alerts"]) == (0, [])
    listed = desk.get(LETTERS)
    assert listed["summary"]["depth"] == first["depth"]
    assert dead in {each["id"] for each in listed["letters"]}


def test_a_letter_thrown_away_is_gone_and_its_job_says_so(desk: Desk) -> None:
    job_id = desk.poisoned()

    answer = desk.post(f"{LETTERS}/{job_id}/discard", REASON)
    again = desk.api.post(f"{LETTERS}/{job_id}/discard", json=REASON, headers=AUTH)

    assert answer == {"id": job_id, "outcome": "discarded", "documents": 1}
    assert again.status_code == 404
    shown = desk.job(job_id)
    assert (shown["status"], shown["documents"][0]["reason"]) == ("failed", "discarded")
    assert "test page" not in json.dumps(shown)


def test_under_a_legal_hold_a_letter_is_locked_and_the_hold_is_named(desk: Desk, dead: str) -> None:
    key = ObjectKey.from_job_id(dead)
    assert key is not None
    with closing(Database.at(desk.site.env["DATABASE_URL"])) as database:
        ledger, hold = PostgresOperatorLedger(database), _hold(key.organization_id)
        ledger.place_hold(hold)
        refused = desk.api.post(f"{LETTERS}/{dead}/discard", json=REASON, headers=AUTH)
        shown = desk.get(f"{LETTERS}/{dead}")
        ledger.lift_hold(key.organization_id, hold.id, "counsel", datetime.now(UTC))

    assert (refused.status_code, refused.get_json()["code"]) == (423, "LOCKED")
    assert str(hold.id) in refused.get_json()["error"]
    assert shown["holds"] == [str(hold.id)]


def _hold(organization_id: UUID) -> Hold:
    return Hold(
        id=uuid4(),
        organization_id=organization_id,
        reason="a lawsuit",
        actor="counsel",
        placed_at=datetime.now(UTC),
    )


@pytest.mark.parametrize(
    ("raw", "outcome", "reason"),
    [(b"{broken", "unreadable", "sidecar_broken"), (b'{"schemaVersion":"2"}', "unreadable", "sidecar_newer")],
)
def test_a_letter_that_cannot_be_read_is_shown_as_such_and_never_deleted(
    desk: Desk, dead: str, raw: bytes, outcome: str, reason: str
) -> None:
    key = ObjectKey.from_job_id(dead)
    assert key is not None
    bucket = desk.site.dead_letters
    good = desk.site.s3.get_object(Bucket=bucket, Key=key.sidecar)["Body"].read()
    desk.site.s3.put_object(Bucket=bucket, Key=key.sidecar, Body=raw)

    shown = desk.get(f"{LETTERS}/{dead}")
    sent = desk.post(f"{LETTERS}/redrive", {"ids": [dead], "actor": "Kari"})
    desk.post(f"{LETTERS}/{dead}/discard", REASON, 409)
    desk.post("/", {})
    left = desk.site.s3.get_object(Bucket=bucket, Key=key.sidecar)["Body"].read()
    desk.site.s3.put_object(Bucket=bucket, Key=key.sidecar, Body=good)

    assert (shown["reason"], shown["letter"]["readable"]) == (reason, False)
    assert sent["items"][0]["outcome"] == outcome
    assert left == raw


def test_a_pdf_without_a_sidecar_is_a_stray_that_stays(desk: Desk) -> None:
    key = ObjectKey.parse(f"org/{uuid4()}/invoice/{'a' * 64}.pdf")
    assert key is not None
    desk.site.s3.put_object(Bucket=desk.site.dead_letters, Key=key.pdf, Body=b"%PDF")

    desk.post("/", {})
    listed = desk.get(LETTERS)
    sent = desk.post(f"{LETTERS}/redrive", {"ids": [key.job_id], "actor": "Kari"})
    desk.post(f"{LETTERS}/{key.job_id}/discard", REASON, 409)

    assert [each["shape"] for each in listed["strays"] if each["id"] == key.job_id] == ["pdf_only"]
    assert (sent["items"][0]["outcome"], "nobody knows" in sent["items"][0]["detail"]) == ("failed", True)
    assert desk.get(f"{LETTERS}/{key.job_id}")["letter"]["hasPdf"]


def test_pages_follow_each_other_and_a_cursor_belongs_to_its_filter(desk: Desk) -> None:
    organization = str(uuid4())
    ids = sorted(desk.poisoned(organization) for _ in range(2))

    first = desk.get(LETTERS, organizationId=organization, limit="1")
    second = desk.get(LETTERS, organizationId=organization, limit="1", cursor=first["cursor"])
    foreign = desk.api.get(LETTERS, query_string={"cursor": first["cursor"]}, headers=AUTH)
    sent = desk.post(f"{LETTERS}/redrive", {"filter": {"organizationId": organization}, "actor": "Kari", "limit": 1})
    misused = {"all": True, "actor": "Kari", "cursor": sent["cursor"]}

    assert sorted(each["id"] for page in (first, second) for each in page["letters"]) == ids
    assert (first["more"], second["more"]) == (True, False)
    assert (foreign.status_code, foreign.get_json()["field"]) == (400, "cursor")
    assert (sent["counts"]["redriven"], sent["more"]) == (1, True)
    assert desk.post(f"{LETTERS}/redrive", misused, 400)["field"] == "cursor"


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": "101"}, "limit"),
        ({"organizationId": "everybody"}, "organizationId"),
        ({"documentType": "receipt"}, "documentType"),
        ({"minAgeHours": "-1"}, "minAgeHours"),
        ({"colour": "red"}, "colour"),
        ({"cursor": "x"}, "cursor"),
    ],
)
def test_a_query_that_cannot_be_meant_is_a_400_that_names_the_field(
    desk: Desk, query: dict[str, str], field: str
) -> None:
    answer = desk.api.get(LETTERS, query_string=query, headers=AUTH)

    assert (answer.status_code, answer.get_json()["field"]) == (400, field)


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        (f"{LETTERS}/redrive", {"ids": ["x"], "actor": "  "}, "actor"),
        (f"{LETTERS}/redrive", {"ids": [], "actor": "Kari"}, "ids"),
        (f"{LETTERS}/redrive", {"actor": "Kari"}, "body"),
        (f"{LETTERS}/redrive", {"all": True, "actor": "Kari", "limit": 501}, "limit"),
        (f"{LETTERS}/x/discard", {"reason": "   ", "actor": "Kari"}, "reason"),
        (f"{LETTERS}/x/discard", {"actor": "Kari"}, "reason"),
        ("/v1/pauses", {"reason": " ", "actor": "Kari"}, "reason"),
        ("/v1/runs", {"actor": "Kari", "budgetSeconds": 0}, "budgetSeconds"),
    ],
)
def test_a_body_that_cannot_be_meant_is_a_422_that_names_the_field(
    desk: Desk, path: str, body: dict[str, object], field: str
) -> None:
    assert desk.post(path, body, 422)["field"] == field


def test_unknown_letters_get_an_answer_each(desk: Desk) -> None:
    stranger = ObjectKey.parse(f"org/{uuid4()}/contract/{'b' * 64}.pdf")
    assert stranger is not None

    answer = desk.post(f"{LETTERS}/redrive", {"ids": ["nonsense", stranger.job_id], "actor": "Kari"})

    assert [item["outcome"] for item in answer["items"]] == ["unknown", "unknown"]
    assert desk.api.get(f"{LETTERS}/{stranger.job_id}", headers=AUTH).status_code == 404


def test_a_pause_is_made_shown_with_the_list_and_ended(desk: Desk) -> None:
    organization = str(uuid4())
    asked: dict[str, object] = {"organizationId": organization, "reason": "their wish", "actor": "Kari"}

    made = desk.post("/v1/pauses", asked, 201)
    again = desk.post("/v1/pauses", asked, 200)
    shown = (desk.get("/v1/pauses")["pauses"], desk.get(LETTERS)["pauses"])
    ended = [
        desk.api.delete("/v1/pauses", query_string={"organizationId": organization, "actor": "Kari"}, headers=AUTH)
        for _ in range(2)
    ]

    assert (made["organizationId"], again["since"]) == (organization, made["since"])
    assert [[each["reason"] for each in pauses] for pauses in shown] == [["their wish"], ["their wish"]]
    assert [answer.get_json() for answer in ended] == [{"resumed": True}, {"resumed": False}]


def test_nobody_gets_in_without_credentials(desk: Desk) -> None:
    for method, path in (("GET", LETTERS), ("POST", f"{LETTERS}/redrive"), ("POST", "/"), ("DELETE", "/v1/pauses")):
        assert desk.api.open(path, method=method).status_code == 401


def test_it_says_whether_it_reaches_its_buckets(desk: Desk) -> None:
    assert desk.get("/healthz")["parts"] == {"queue": "ok", "deadLetters": "ok"}


@pytest.fixture
def alone(desk: Desk) -> Iterator[FlaskClient]:
    """dlq-alert while the other functions are away."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        nobody = f"http://127.0.0.1:{listener.getsockname()[1]}"
    env = {**desk.site.env, "AUDIT_CALLBACK_URL": nobody, "ARCHIVER_DRAIN_URL": nobody}
    with loaded("dlq-alert", env) as app:
        yield app.test_client()


def test_while_the_rows_are_away_the_list_comes_from_the_bucket(alone: FlaskClient, dead: str) -> None:
    listed = alone.get(LETTERS, headers=AUTH).get_json()

    assert listed["source"] == "listing"
    assert dead in {each["id"] for each in listed["letters"]}
    assert {each["reason"] for each in listed["letters"]} == {None}


def test_without_audit_callback_nothing_is_moved_thrown_away_paused_or_run(alone: FlaskClient, dead: str) -> None:
    sent = alone.post(f"{LETTERS}/redrive", json={"ids": [dead], "actor": "Kari"}, headers=AUTH).get_json()
    refused = [
        alone.post(f"{LETTERS}/{dead}/discard", json=REASON, headers=AUTH),
        alone.post("/v1/pauses", json=REASON, headers=AUTH),
        alone.post("/v1/runs", json={"actor": "Kari"}, headers=AUTH),
    ]

    assert sent["items"][0]["outcome"] == "failed"
    assert [answer.status_code for answer in refused] == [503, 503, 503]
    shown = alone.get(f"{LETTERS}/{dead}", headers=AUTH).get_json()
    assert (shown["letter"]["hasPdf"], shown["letter"]["beingMoved"], shown["standing"]) == (True, False, "unknown")

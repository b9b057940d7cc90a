"""Labels that changed, filters that lie, documents that came back different: our copy stays, and somebody is told."""

from __future__ import annotations

import logging
from uuid import uuid4

import httpx
import pytest

from shared.domain.audit import Disposition, OrganizationLabels
from shared.domain.drain import DrainOptions, Ending, Stop
from shared.domain.sidecar import State
from shared.services.archive_drain import drain
from tests.flows.meddling import api, before, left_over, rewired, row, uploads, waiting
from tests.prove.site import Letter, Site

LETTER = Letter("Firma AS", "invoice 1", "An invoice")


def new_tag(site: Site, name: str, **details: object) -> int:
    answer = api(site).post("/api/tags/", json={"name": name, **details})
    return int(answer.raise_for_status().json()["id"])


def tags_of(site: Site, letter: Letter) -> set[str]:
    world = site.paperless.world.archive
    (number,) = site.copies(letter.key)
    return {world.labels["tag"][tag].name for tag in world.documents[number].tags}


def needs_attention(caplog: pytest.LogCaptureFixture) -> list[str]:
    fields = [getattr(record, "fields", {}) for record in caplog.records if record.levelno == logging.ERROR]
    return [each["alert"] for each in fields if "alert" in each]


def test_cached_ids_that_mean_something_else_after_a_restore_are_not_used() -> None:
    site = Site()
    foreign = new_tag(site, f"org:{uuid4()}")
    correspondent = api(site).post("/api/correspondents/", json={"name": "somebody"}).json()["id"]
    site.ledger.save_labels(LETTER.organization_id, "", OrganizationLabels(correspondent, foreign))
    site.send(LETTER)

    site.drain()

    assert tags_of(site, LETTER) == {f"org:{LETTER.organization_id}", "doc-type:invoice", "bilko-source"}
    cached = site.ledger.labels(LETTER.organization_id)
    assert cached is not None
    assert cached.tag_id != foreign


def test_cached_ids_that_are_gone_are_made_again() -> None:
    site = Site()
    site.ledger.save_labels(LETTER.organization_id, "", OrganizationLabels(404, 404))
    site.send(LETTER)

    assert site.drain().endings[Ending.ARCHIVED] == 1


@pytest.mark.parametrize("entry", ["bilko-source", "invoice"])
def test_a_wrong_map_of_tag_ids_stops_the_run_and_names_the_entry(entry: str) -> None:
    site = Site()
    wrong = new_tag(site, "something else")
    site.send(LETTER)

    report = drain(site.drain_parts(), DrainOptions(tag_ids={entry: wrong}))

    assert report.stop is Stop.CONFIG
    assert f"{entry} is {wrong}, which is something else" in report.detail
    assert waiting(site, LETTER).retry_count == 0


def test_a_right_map_of_tag_ids_is_used() -> None:
    site = Site()
    tag = new_tag(site, "doc-type:invoice", owner=None)
    site.send(LETTER)

    report = drain(site.drain_parts(), DrainOptions(tag_ids={"invoice": tag}))

    assert report.endings[Ending.ARCHIVED] == 1


def test_an_inbox_tag_or_a_matching_rule_that_adds_tags_does_not_matter() -> None:
    site = Site()
    new_tag(site, "inbox", is_inbox_tag=True)
    new_tag(site, "paper", match="invoice", matching_algorithm=1)
    site.send(LETTER)

    report = site.drain()

    assert report.endings[Ending.ARCHIVED] == 1
    assert {"inbox", "paper"} <= tags_of(site, LETTER)


def test_a_foreign_organisations_tag_on_the_stored_document_keeps_our_copy_and_alerts(
    caplog: pytest.LogCaptureFixture,
) -> None:
    site = Site()
    new_tag(site, f"org:{uuid4()}", match="invoice", matching_algorithm=1)
    site.send(LETTER)

    report = site.drain()

    assert report.endings[Ending.LEFT] == 1
    assert site.queue.stat(LETTER.key.pdf) is not None
    assert row(site, LETTER).disposition is Disposition.QUEUED
    assert needs_attention(caplog) == ["verification"]


def test_another_checksum_than_ours_keeps_our_copy_and_alerts(caplog: pytest.LogCaptureFixture) -> None:
    site = Site()
    site.send(LETTER)
    site.archive = before(site.archive, "find", lambda: _spoil(site), times=9)

    for _ in range(2):
        assert site.drain().endings[Ending.LEFT] == 1
        site.wait()

    assert waiting(site, LETTER).state is State.SUBMITTED
    assert site.queue.stat(LETTER.key.pdf) is not None
    assert needs_attention(caplog) == ["verification", "verification"]
    assert len(uploads(site)) == 1


def test_a_document_that_lost_its_labels_is_not_taken_for_proof() -> None:
    site = Site()
    site.send(LETTER)
    site.archive = before(site.archive, "find", lambda: _unlabel(site), times=9)

    site.drain()

    assert site.queue.stat(LETTER.key.pdf) is not None


def test_a_server_that_ignores_our_filters_stops_the_run_before_anything_is_believed() -> None:
    site, another = Site(), Letter("Other AS", "invoice 2", "Another invoice")
    site.send(another)
    site.drain()
    site.send(LETTER)
    rewired(site, request=_without_filters)

    report = site.drain()

    assert report.stop is Stop.CANARY
    assert left_over(site) == [LETTER.key.sidecar, LETTER.key.pdf]


def test_a_lookup_that_returns_another_documents_row_stops_the_run() -> None:
    site, another = Site(), Letter("Other AS", "invoice 2", "Another invoice")
    site.send(another)
    site.drain()
    site.send(LETTER)
    rewired(
        site, request=lambda request: _without_filters(request) if b"tags__id__all" in request.url.query else request
    )

    report = site.drain()

    assert report.stop is Stop.CONFIG
    assert waiting(site, LETTER).state is State.QUEUED


@pytest.mark.parametrize("version", ["1.17.4", "2.19.0", "4.0.0", "nightly"])
def test_a_version_we_do_not_know_stops_the_run(version: str) -> None:
    site = Site()
    site.send(LETTER)
    rewired(site, answer=lambda answer: _announcing(answer, version))

    report = site.drain()

    assert report.stop is Stop.CONFIG
    assert uploads(site) == []


def test_a_label_deleted_under_a_pending_upload_stops_the_run_and_charges_nobody() -> None:
    site = Site(consume_seconds=1.0)
    site.send(LETTER)
    site.archive = before(site.archive, "task", lambda: _delete_tags(site))

    report = site.drain()

    assert report.stop is Stop.CONFIG
    assert waiting(site, LETTER).retry_count == 0


def test_an_upgrade_from_2_to_3_between_two_runs_is_noticed() -> None:
    site = Site()
    announced = ["2.20.15"]
    rewired(site, answer=lambda answer: _announcing(answer, announced[0]))
    site.drain()
    site.send(Letter("Other AS", "invoice 2", "Another invoice"))
    site.drain()
    announced[0] = "3.0.5"
    site.send(LETTER)

    site.drain()

    assert row(site, LETTER).disposition is Disposition.ARCHIVED


def _spoil(site: Site) -> None:
    for document in list(site.paperless.world.archive.documents.values()):
        with site.paperless.world.archive.changing(document):
            document.checksum = "0" * 64


def _unlabel(site: Site) -> None:
    for document in list(site.paperless.world.archive.documents.values()):
        with site.paperless.world.archive.changing(document):
            document.correspondent = None


def _delete_tags(site: Site) -> None:
    for number in list(site.paperless.world.archive.labels["tag"]):
        api(site).delete(f"/api/tags/{number}/")


def _without_filters(request: httpx.Request) -> httpx.Request:
    if request.url.path != "/api/documents/":
        return request
    kept = {name: value for name, value in request.url.params.items() if name in ("fields", "page", "page_size")}
    return httpx.Request(request.method, request.url.copy_with(params=kept), headers=request.headers)


def _announcing(answer: httpx.Response, version: str) -> httpx.Response:
    answer.headers["X-Version"] = version
    return answer

"""A document's own fault, and a twin that somebody else has."""

from __future__ import annotations

from typing import Any

import pytest

from shared.domain.audit import ArchiveStatus, Disposition
from shared.domain.drain import Ending
from shared.services import archive_job
from tests.flows.meddling import (
    Garbage,
    after,
    api,
    dead_letter,
    left_over,
    letters,
    refuse,
    row,
    send_all,
    uploads,
    waiting,
)
from tests.prove.site import Letter, Site

GARBAGE = Garbage("Firma AS", "invoice 1", "Nothing that opens")
LETTER = Letter("Firma AS", "invoice 1", "An invoice")
VERSIONS = pytest.mark.parametrize("version", ["3.0.5", "2.20.15"])


@VERSIONS
def test_three_failures_of_its_own_make_a_dead_letter_with_its_whole_history(version: str) -> None:
    site = Site(version=version)  # type: ignore[arg-type]
    site.send(GARBAGE)

    reports = site.drain_until_quiet()

    letter = dead_letter(site, GARBAGE)
    assert [report.endings[Ending.RETRY] for report in reports] == [1, 1, 0]
    assert [error.charged for error in letter.errors] == [True, True, True]
    assert all("InputFileError" in error.message for error in letter.errors)
    assert not left_over(site)


def test_a_dead_letters_row_says_failed_and_dead_and_why() -> None:
    site = Site()
    site.send(GARBAGE)

    site.drain_until_quiet()

    written = row(site, GARBAGE)
    assert (written.status, written.disposition) == (ArchiveStatus.FAILED, Disposition.DEAD)
    assert (written.reason, written.retry_count) == ("not_accepted", 3)


def test_each_failure_shows_in_the_row_while_the_document_is_still_queued() -> None:
    site = Site()
    site.send(GARBAGE)

    site.drain()

    assert (row(site, GARBAGE).retry_count, row(site, GARBAGE).disposition) == (1, Disposition.QUEUED)


def test_the_traceback_that_2_shows_first_is_not_taken_for_the_reason() -> None:
    site = Site(version="2.20.15")
    site.send(GARBAGE)

    site.drain()

    assert waiting(site, GARBAGE).retry_count == 1
    assert "traceback" not in (waiting(site, GARBAGE).last_error or "")


@pytest.mark.parametrize("status", [400, 413, 415])
def test_an_upload_refused_for_what_it_is_counts_against_it_at_once(status: int) -> None:
    site = Site()
    site.send(LETTER)
    refuse(site, LETTER, "error", status=status)

    site.drain_until_quiet()

    assert dead_letter(site, LETTER).reason == "refused"


@pytest.mark.parametrize("details", [{"kind": "forbidden", "html": True}, {"kind": "error", "status": 500}])
def test_a_403_page_or_a_5xx_on_one_document_while_others_pass_is_its_own_fault(details: dict[str, object]) -> None:
    site = Site()
    site.send(LETTER)
    refuse(site, LETTER, **details)  # type: ignore[arg-type]
    for number in range(24):
        others = letters(3, f"Batch {number} of {{}}")
        send_all(site, others)
        report = site.drain()
        assert report.endings[Ending.ARCHIVED] == 3
        assert all(row(site, other).retry_count == 0 for other in others)
        site.wait()

    assert dead_letter(site, LETTER).retry_count == 3


@VERSIONS
def test_bytes_this_organisation_has_in_the_archive_already_are_not_sent_again(version: str) -> None:
    site, again = Site(version=version), Letter("Firma AS", "invoice 2", "An invoice")  # type: ignore[arg-type]
    site.send(LETTER)
    site.drain()
    site.send(again)

    site.drain()

    assert len(uploads(site)) == 1
    assert row(site, again).paperless_document_id == row(site, LETTER).paperless_document_id


@pytest.mark.parametrize("options", [{"version": "2.20.15"}, {"delete_duplicates": True}])
def test_a_duplicate_of_our_own_is_verified_and_finished(options: dict[str, object]) -> None:
    site = Site(**options)  # type: ignore[arg-type]
    site.send(LETTER)
    site.drain()
    (first,) = site.copies(LETTER.key)
    again = Letter("Firma AS", "invoice 2", "An invoice")
    site.send(again)
    hidden = _hide(site, first)
    site.archive = _showing_again_after_the_upload(site, first, hidden)

    site.drain()

    assert len(uploads(site)) == 2
    assert row(site, again).paperless_document_id == first
    assert not list(site.dead_letters.list(""))


@pytest.mark.parametrize("options", [{"version": "2.20.15"}, {"delete_duplicates": True}])
def test_a_twin_of_another_organisation_is_kept_among_the_dead_letters(options: dict[str, object]) -> None:
    site, twin = Site(**options), Letter("Other AS", "invoice 2", "An invoice")  # type: ignore[arg-type]
    site.send(LETTER)
    site.drain()
    site.send(twin)

    report = site.drain()

    assert report.endings[Ending.DEAD] == 1
    assert dead_letter(site, twin, "kept/").reason == "refused_twin"
    assert row(site, twin).paperless_document_id is None


def test_a_tenant_never_learns_that_another_has_the_same_bytes() -> None:
    site, twin = Site(version="2.20.15"), Letter("Other AS", "invoice 2", "An invoice")
    site.send(LETTER)
    site.drain()
    site.send(twin)
    site.drain()

    job = archive_job.job(site.queue, site.ledger, site.clock, twin.key.job_id)

    assert job.documents[0].reason == "not_accepted"
    assert "twin" not in job.model_dump_json()
    assert "duplicate" not in job.model_dump_json()


def test_on_3_two_organisations_may_have_the_same_bytes() -> None:
    site, twin = Site(), Letter("Other AS", "invoice 2", "An invoice")
    site.send(LETTER)
    site.send(twin)

    site.drain()

    assert site.copies(LETTER.key) != site.copies(twin.key)
    assert len(site.copies(twin.key)) == 1


@pytest.mark.parametrize("options", [{"version": "2.20.15"}, {"delete_duplicates": True}])
def test_a_twin_in_the_trash_is_kept_among_the_dead_letters(options: dict[str, object]) -> None:
    site, again = Site(**options), Letter("Firma AS", "invoice 2", "An invoice")  # type: ignore[arg-type]
    site.send(LETTER)
    site.drain()
    api(site).delete(f"/api/documents/{site.copies(LETTER.key)[0]}/").raise_for_status()
    site.send(again)

    site.drain()

    assert dead_letter(site, again, "kept/").reason == "refused_twin"


def _hide(site: Site, document_id: int) -> list[int]:
    document = site.paperless.world.archive.documents[document_id]
    with site.paperless.world.archive.changing(document):
        tags, document.tags = document.tags, []
    return tags


def _showing_again_after_the_upload(site: Site, document_id: int, tags: list[int]) -> Any:
    def show() -> None:
        document = site.paperless.world.archive.documents[document_id]
        with site.paperless.world.archive.changing(document):
            document.tags = tags

    return after(site.archive, "upload", show)

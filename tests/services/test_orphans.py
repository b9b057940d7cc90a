"""Objects that lost their other half."""

from __future__ import annotations

import pytest

from shared.domain.drain import Ending
from shared.domain.errors import ArchiveQueueFailure
from shared.domain.sidecar import Priority
from tests.flows.meddling import before, dead_letter, left_over, row
from tests.prove.site import Letter, Site
from tests.services.runs import LETTER

URGENT = Letter("Firma AS", "invoice 1", "An invoice", priority=Priority.HIGH)


def orphan(minutes: float) -> Site:
    site = Site()
    site.queue.put(LETTER.key.pdf, LETTER.content, "application/pdf")
    site.wait(minutes)
    return site


def test_archive_write_waits_while_a_lone_pdf_is_being_moved_and_loses_nothing() -> None:
    site, refused = orphan(65), list[Exception]()

    def send() -> None:
        try:
            site.send(LETTER)
        except ArchiveQueueFailure as exc:
            refused.append(exc)

    site.audit = before(site.audit, "record", send)
    site.drain()
    site.send(LETTER)

    assert len(refused) == 1
    assert site.queue.stat(LETTER.key.pdf) is not None
    assert site.drain().endings[Ending.ARCHIVED] == 1


def test_the_rows_of_a_lone_pdf_become_dead_with_it() -> None:
    site = orphan(0)
    site.send(LETTER)
    site.queue.delete(LETTER.key.sidecar)
    site.wait(65)

    site.drain()

    assert row(site, LETTER).reason == "orphan_pdf"
    assert dead_letter(site, LETTER).documents == ()


@pytest.mark.parametrize(("minutes", "kept"), [(50, True), (65, False)])
def test_a_marker_without_a_document_is_forgotten_after_the_grace(minutes: float, *, kept: bool) -> None:
    site = Site()
    site.queue.put(URGENT.key.priority_marker, b"", "text/plain")
    site.wait(minutes)

    site.drain()

    assert bool(left_over(site)) is kept


def test_the_marker_of_an_urgent_document_goes_last_with_it() -> None:
    site = Site()
    site.send(URGENT)
    assert len(left_over(site)) == 3

    site.drain()

    assert not left_over(site)

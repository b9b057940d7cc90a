"""Fairness, order, pauses, shards, budgets, and runs that change nothing."""

from __future__ import annotations

import pytest

from shared.domain.audit import Disposition
from shared.domain.drain import Ending, Stop
from shared.domain.keys import DocumentType
from shared.domain.sidecar import Priority
from tests.flows.meddling import Garbage, before, file_name, left_over, letters, row, send_all, uploads, waiting
from tests.prove.site import Letter, Site

LETTER = Letter("Firma AS", "invoice 1", "An invoice")


def test_a_thousand_documents_of_one_organisation_do_not_delay_anothers() -> None:
    site = Site(consume_seconds=1.0)
    send_all(site, [Letter("Large AS", f"large {n}", f"large {n}") for n in range(1000)])
    site.send(LETTER)

    site.drain(budget_seconds=10.0)

    assert row(site, LETTER).disposition is Disposition.ARCHIVED


def test_a_thousand_poison_documents_of_one_organisation_do_not_delay_anothers() -> None:
    site, some = Site(), letters(3)
    send_all(site, [Garbage("Poison AS", f"poison {n}", f"poison {n}") for n in range(1000)])
    send_all(site, some)

    site.drain(budget_seconds=20.0)

    assert {row(site, letter).disposition for letter in some} == {Disposition.ARCHIVED}


def test_an_urgent_document_goes_first_in_its_organisations_turn() -> None:
    site = Site()
    send_all(site, [Letter("Firma AS", f"invoice {n}", f"invoice {n}") for n in range(5)])
    urgent = Letter("Firma AS", "urgent", "Urgent", DocumentType.ONBOARDING, Priority.HIGH)
    site.send(urgent)

    site.drain()

    assert uploads(site)[0] == file_name(urgent, 1)
    assert not left_over(site)


def test_paused_altogether_a_run_does_nothing_and_says_so() -> None:
    site = Site()
    site.send(LETTER)
    site.queue.put("control/paused", b"", "text/plain")

    report = site.drain()

    assert report.stop is Stop.PAUSED
    assert uploads(site) == []


def test_one_organisation_paused_the_others_go_on() -> None:
    site, other = Site(), Letter("Other AS", "invoice 2", "Another invoice")
    send_all(site, [LETTER, other])
    site.queue.put(f"control/paused/{LETTER.organization_id}", b"", "text/plain")

    report = site.drain()

    assert (report.endings[Ending.PAUSED], report.endings[Ending.ARCHIVED]) == (1, 1)
    assert waiting(site, LETTER).attempts == 0


def test_paused_in_the_middle_of_a_run_it_stops_within_seconds() -> None:
    site, some = Site(consume_seconds=5.0), letters(20)
    send_all(site, some)
    site.archive = before(site.archive, "upload", lambda: site.queue.put("control/paused", b"", "text/plain"))

    report = site.drain()

    assert report.stop is Stop.PAUSED
    assert 1 <= report.endings[Ending.ARCHIVED] <= 5


@pytest.mark.parametrize("name", ["control/paused/", "control/paused/Firma AS", "control/paused-by-me"])
def test_a_pause_object_of_a_strange_name_pauses_nobody_and_breaks_nothing(name: str) -> None:
    site = Site()
    site.send(LETTER)
    site.queue.put(name, b"", "text/plain")

    assert site.drain().endings[Ending.ARCHIVED] == 1


def test_when_the_budget_is_spent_the_run_ends_and_the_next_goes_on() -> None:
    site, some = Site(consume_seconds=100.0), letters(5)
    send_all(site, some)
    started = site.clock.now()

    report = site.drain()

    assert report.stop is Stop.BUDGET
    assert (site.clock.now() - started).total_seconds() < 245
    site.drain_until_quiet()
    assert [len(site.copies(letter.key)) for letter in some] == [1] * 5


def test_shards_split_the_organisations_without_overlap_and_leave_none_out() -> None:
    site, some = Site(), letters(12)
    send_all(site, some)

    done = [site.drain(shard=shard, shards=3).endings[Ending.ARCHIVED] for shard in range(3)]

    assert sum(done) == 12
    assert max(done) < 12
    assert len(uploads(site)) == 12


def test_a_shard_leaves_the_organisations_of_the_others_alone() -> None:
    site, some = Site(), letters(12)
    send_all(site, some)

    site.drain(shard=0, shards=3)
    again = site.drain(shard=0, shards=3)

    assert again.endings[Ending.ARCHIVED] == 0
    assert left_over(site)


def test_two_runs_that_scheduler_started_at_once_deliver_each_document_once() -> None:
    site, some = Site(), letters(4)
    send_all(site, some)
    plain = site.archive

    def the_other_run() -> None:
        site.archive = plain
        site.drain()

    site.archive = before(plain, "upload", the_other_run)
    site.drain()
    site.wait()
    site.drain_until_quiet()

    assert sorted(uploads(site)) == sorted(file_name(letter, 1) for letter in some)


def test_an_empty_queue_asks_nothing_of_paperless() -> None:
    site = Site()

    assert site.drain().stop is Stop.EMPTY
    assert site.paperless.state()["requests"] == {}

"""From a poisoned document to the archive, and everything an operator may do on the way."""

from __future__ import annotations

from datetime import timedelta

import pytest

from shared.domain.audit import ArchiveStatus, Disposition
from shared.domain.dead_letters import LetterFilter, LetterQuery
from shared.domain.redrive import DiscardRequest, RedriveRequest, Sending
from shared.services.dead_letter_watch import watch
from shared.services.dead_letters import page
from shared.services.discard import discard
from shared.services.inspection import inspect
from shared.services.redrive import redrive
from tests.flows.meddling import Garbage, hours, left_over, letters, refuse, row, send_all
from tests.prove.model import Model
from tests.prove.site import Letter, Site

POISON = Letter("Firma AS", "poison", "Refused until it is mended")


def announced(caplog: pytest.LogCaptureFixture) -> int:
    lines = [getattr(record, "fields", {}) for record in caplog.records]
    return sum(line.get("action") == "archive.dlq_alert" for line in lines)


def under_watch(site: Site, count: int) -> None:
    """Drain and watch, as their schedules have it."""
    for _ in range(count):
        site.drain()
        watch(site.letter_parts())
        site.wait()


def test_three_attempts_one_alert_one_redrive_and_a_whole_history(caplog: pytest.LogCaptureFixture) -> None:
    site = Site()
    refuse(site, POISON, "error", status=413)
    site.send(POISON)
    under_watch(site, 6)
    shown = inspect(site.letter_parts(), POISON.key.job_id)
    site.paperless.clear_faults()

    redrive(site.letter_parts(), RedriveRequest(ids=(POISON.key.job_id,), actor="Kari"))
    under_watch(site, 2)

    after = inspect(site.letter_parts(), POISON.key.job_id)
    assert (len(shown.errors), shown.retry_count, announced(caplog)) == (3, 3, 1)
    assert (row(site, POISON).status, row(site, POISON).redrives) == (ArchiveStatus.ARCHIVED, 1)
    assert (after.standing, after.letter) == (Disposition.ARCHIVED, None)
    assert watch(site.letter_parts()).depth == 0


def test_a_hundred_that_die_of_one_cause_are_one_alert_and_come_home_with_one_button(
    caplog: pytest.LogCaptureFixture,
) -> None:
    site, many = Site(), letters(100)
    model = Model(site)
    for letter in many:
        refuse(site, letter, "error", status=413)
        model.promise(letter)
    send_all(site, many)
    under_watch(site, 8)
    dead = page(site.letter_parts(), LetterQuery(limit=100, reason="refused"))
    site.paperless.clear_faults()

    answer = redrive(
        site.letter_parts(), RedriveRequest(filter=LetterFilter(reason="refused"), actor="Kari", limit=500)
    )
    hours(site, 1)

    assert (len(dead.letters), announced(caplog)) == (100, 1)
    assert answer.counts[Sending.REDRIVEN] == 100
    assert {key[1] for key in model.balance()} == {"archived"}
    assert not left_over(site)


def test_whatever_operators_do_every_document_is_accounted_for() -> None:
    site = Site()
    model = Model(site)
    garbage = [Garbage("Firma AS", f"garbage {number}", f"garbage {number}") for number in range(6)]
    for letter in garbage:
        site.send(letter)
        model.promise(letter)
    site.drain_until_quiet()
    parts = site.letter_parts()

    discard(parts, garbage[0].key.job_id, DiscardRequest(reason="no document", actor="Kari"))
    redrive(parts, RedriveRequest(ids=tuple(letter.key.job_id for letter in garbage[1:3]), actor="Kari"))
    site.send(garbage[3])
    balance_at_once = dict(model.balance())
    hours(site, 1)
    site.clock.sleep(timedelta(days=6).total_seconds())
    watch(parts)

    organization = garbage[0].organization_id
    assert balance_at_once == {
        (organization, "discarded"): 1,
        (organization, "queued"): 3,
        (organization, "dead"): 2,
    }
    assert dict(model.balance()) == {(organization, "discarded"): 1, (organization, "dead"): 5}

"""Pauses: made by operators, shown with who and why, ended by anybody who may."""

from __future__ import annotations

from uuid import UUID

import pytest

from shared.domain.drain import Ending, Stop
from shared.domain.errors import Unavailable
from shared.domain.pauses import PauseRequest
from shared.services.pauses import pause, pauses, resume
from tests.flows.meddling import failing, row
from tests.prove.site import Letter, Site
from tests.services.dead import LETTER, events

OTHER = Letter("Other AS", "contract 1", "A contract")


def asked(organization_id: UUID | None = None, reason: str = "an upgrade") -> PauseRequest:
    return PauseRequest(organization_id=organization_id, reason=reason, actor="Kari")


def test_a_pause_of_all_stops_the_drain_until_it_is_resumed() -> None:
    site = Site()
    site.send(LETTER)

    pause(site.letter_parts(), asked())
    stopped = site.drain().stop
    resumed = resume(site.letter_parts(), None, "Kari")
    report = site.drain()

    assert (stopped, resumed, report.endings[Ending.ARCHIVED]) == (Stop.PAUSED, True, 1)
    assert events(site) == [("drain.pause", "Kari"), ("drain.resume", "Kari")]


def test_a_pause_of_one_organisation_leaves_the_others() -> None:
    site = Site()
    for letter in (LETTER, OTHER):
        site.send(letter)

    pause(site.letter_parts(), asked(LETTER.organization_id))
    site.drain()

    assert [row(site, letter).archived_at is None for letter in (LETTER, OTHER)] == [True, False]


def test_pauses_are_shown_with_their_reason_and_age() -> None:
    site = Site()
    pause(site.letter_parts(), asked())
    pause(site.letter_parts(), asked(LETTER.organization_id, "their wish"))
    site.wait()

    shown = pauses(site.queue, site.clock)

    assert [(each.organization_id, each.reason, each.actor) for each in shown] == [
        (None, "an upgrade", "Kari"),
        (LETTER.organization_id, "their wish", "Kari"),
    ]
    assert {each.age_seconds for each in shown} == {300}


def test_what_is_paused_already_stays_as_it_was() -> None:
    site = Site()
    first, made = pause(site.letter_parts(), asked())

    second, made_again = pause(site.letter_parts(), asked(reason="another"))

    assert (second.reason, second.since) == (first.reason, first.since)
    assert (made, made_again) == (True, False)


def test_a_pause_written_by_hand_is_shown_as_far_as_it_can_be_read() -> None:
    site = Site()
    site.queue.put("control/paused", b"because I say so", "text/plain")

    (shown,) = pauses(site.queue, site.clock)

    assert (shown.organization_id, shown.reason, shown.since) == (None, None, site.clock.now())


def test_there_is_nothing_to_resume_where_nothing_is_paused() -> None:
    site = Site()

    assert not resume(site.letter_parts(), LETTER.organization_id, "Kari")
    assert events(site) == []


def test_nothing_is_paused_that_cannot_be_recorded() -> None:
    site = Site()
    site.audit = failing(site.audit, "operator_event")

    with pytest.raises(Unavailable):
        pause(site.letter_parts(), asked())

    assert pauses(site.queue, site.clock) == []

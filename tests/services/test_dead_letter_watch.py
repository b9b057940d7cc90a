"""The watch: what it counts, when it raises its voice, and what it hands on."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from shared.domain.dead_letter_answers import WatchAnswer
from shared.domain.dead_letters import Shape
from shared.domain.errors import Unavailable
from shared.domain.keys import KEPT_ROOT
from shared.domain.pauses import PauseRequest
from shared.services.dead_letter_watch import STATE, load, watch
from shared.services.letter_census import AT_ONCE
from shared.services.pauses import pause
from tests.flows.meddling import before, failing, refuse
from tests.prove.site import Letter, Site
from tests.services.dead import JSON, LETTER, buried, lay, lying, pressed

OTHER = Letter("Other AS", "contract 1", "A contract")
THIRD = Letter("Other AS", "contract 2", "Another contract")


def watched(site: Site) -> WatchAnswer:
    return watch(site.letter_parts())


def bury(site: Site, *letters: Letter, reason: str = "refused") -> None:
    for letter in letters:
        refuse(site, letter, "error", status=413)
        site.send(letter)
    site.drain_until_quiet()


def after(site: Site, **time: float) -> WatchAnswer:
    site.clock.sleep(timedelta(**time).total_seconds())
    return watched(site)


def lines(caplog: pytest.LogCaptureFixture, action: str) -> list[dict[str, object]]:
    found = [getattr(record, "fields", {}) for record in caplog.records]
    return [fields for fields in found if fields.get("action") == action]


def gauges(caplog: pytest.LogCaptureFixture) -> dict[tuple[object, ...], object]:
    found = [getattr(record, "fields", {}) for record in caplog.records]
    return {(each["metric"], *each["labels"].values()): each["value"] for each in found if "metric" in each}


def test_an_empty_bucket_is_zero_and_silent(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    answer = watched(Site())

    assert (answer.depth, answer.oldest_age_seconds, answer.alerts) == (0, None, ())
    assert gauges(caplog)["archive_dlq_depth",] == 0
    assert gauges(caplog)["archive_dlq_oldest_age_seconds",] == 0
    assert lines(caplog, "archive.dlq_alert") == []


def test_it_counts_by_age_organisation_and_reason(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    site = buried(LETTER, OTHER, THIRD)
    site.clock.sleep(3600)

    answer = watched(site)

    assert (answer.depth, answer.newly_dead, answer.by_reason) == (3, 3, {"refused": 3})
    assert answer.by_organization == {str(OTHER.organization_id): 2, str(LETTER.organization_id): 1}
    assert answer.oldest_age_seconds is not None
    assert answer.oldest_age_seconds >= 3600
    assert gauges(caplog)["archive_dlq_depth_by_reason", "refused"] == 3


def test_kept_letters_count_too_and_a_letter_that_lies_twice_counts_once() -> None:
    site = buried(LETTER, OTHER)
    lay(site, lying(site), KEPT_ROOT, LETTER.content)
    lay(site, lying(site, OTHER), KEPT_ROOT, OTHER.content)
    for name in (OTHER.key.pdf, OTHER.key.sidecar):
        site.dead_letters.delete(name)

    assert watched(site).depth == 2


def test_a_newly_dead_document_is_announced_once(caplog: pytest.LogCaptureFixture) -> None:
    site = buried()

    alerts = [watched(site).alerts, after(site, minutes=5).alerts, after(site, hours=1).alerts]

    (line,) = lines(caplog, "archive.dlq_alert")
    assert alerts == [("newly_dead",), (), ()]
    assert (line["newlyDead"], line["depth"], line["reasons"]) == (1, 1, {"refused": 1})
    assert line["organizations"] == {str(LETTER.organization_id): 1}


def test_many_that_die_of_one_cause_over_an_hour_are_one_incident(caplog: pytest.LogCaptureFixture) -> None:
    site = Site()

    for number in range(12):
        bury(site, Letter("Firma AS", f"invoice {number}", f"text {number}"))
        watched(site)

    assert len(lines(caplog, "archive.dlq_alert")) == 1


def test_the_next_incident_after_a_quiet_half_hour_is_announced_again() -> None:
    site = buried()
    watched(site)
    site.clock.sleep(3600)
    bury(site, OTHER)

    assert watched(site).alerts == ("newly_dead",)


def test_another_reason_is_another_incident() -> None:
    site = buried()
    watched(site)
    site.send(OTHER)
    site.queue.put(OTHER.key.pdf, b"changed behind our back", "application/pdf")
    site.drain()

    assert watched(site).alerts == ("newly_dead",)


def test_one_that_dies_in_the_same_moment_as_the_last_seen_is_still_news() -> None:
    site = buried()
    watched(site)
    site.clock.sleep(3600)
    lay(site, lying(site), pdf=LETTER.content)
    watched(site)
    site.dead_letters.put(OTHER.key.pdf, OTHER.content, "application/pdf")

    assert watched(site).newly_dead == 1


@pytest.mark.parametrize("days", [1, 3, 6])
def test_each_age_is_announced_once_when_it_is_reached(days: int) -> None:
    site = buried()
    watched(site)
    after(site, days=days, minutes=-10)

    alerts = [after(site, minutes=15).alerts, after(site, minutes=5).alerts, after(site, hours=2).alerts]

    assert alerts == [(f"age_{days}_days",), (), ()]


def test_the_first_watch_ever_finds_what_is_old_already() -> None:
    site = buried()

    assert after(site, days=4).alerts == ("age_1_days", "age_3_days", "newly_dead")


def test_a_letter_that_died_again_is_news_again() -> None:
    site = buried(mended=False)
    watched(site)
    site.clock.sleep(3600)
    pressed(site)
    site.drain_until_quiet()

    answer = watched(site)

    assert (answer.newly_dead, answer.alerts) == (1, ("newly_dead",))


def test_it_tells_what_became_of_those_sent_back() -> None:
    site = buried(LETTER, OTHER)
    pressed(site, LETTER)
    site.drain_until_quiet()
    pressed(site, OTHER)

    assert watched(site).redriven == {"archived": 1, "queued": 1}


def test_while_audit_callback_is_away_it_still_counts_and_alerts() -> None:
    site = buried()
    site.audit = failing(site.audit, "standings", "dead_summary", "record")

    answer = watched(site)

    assert (answer.depth, answer.by_reason, answer.redriven, answer.alerts) == (1, None, None, ("newly_dead",))


def test_while_the_bucket_is_away_it_says_that_it_could_not_look(caplog: pytest.LogCaptureFixture) -> None:
    site = buried()
    site.dead_letters = failing(site.dead_letters, "list")

    with pytest.raises(Unavailable):
        watched(site)

    assert len(lines(caplog, "archive.dlq_watch_failed")) == 1
    assert lines(caplog, "archive.dlq_alert") == []


def test_of_two_watches_at_once_one_speaks(caplog: pytest.LogCaptureFixture) -> None:
    site = buried()
    site.audit = before(site.audit, "dead_summary", lambda: watched(site))

    alerts = watched(site).alerts

    assert alerts == ()
    assert len(lines(caplog, "archive.dlq_alert")) == 1


def test_if_its_memory_cannot_be_written_it_speaks_rather_twice_than_not_at_all() -> None:
    site = buried()
    site.dead_letters = failing(site.dead_letters, "create")

    assert [watched(site).alerts, watched(site).alerts] == [("newly_dead",)] * 2


@pytest.mark.parametrize("raw", [b"{broken", b'{"newest": "soon"}', b'{"writtenBy": "a later version"}'])
def test_a_memory_it_cannot_read_is_forgotten(raw: bytes) -> None:
    site = buried()
    site.dead_letters.put(STATE, raw, JSON)

    answer = watched(site)

    assert answer.alerts == ("newly_dead",)
    assert load(site.dead_letters)[0].depth == 1


def test_letters_that_no_row_tells_of_are_remembered_while_they_lie_there() -> None:
    site = buried()
    site.dead_letters.put(OTHER.key.pdf, OTHER.content, "application/pdf")
    watched(site)

    strays = load(site.dead_letters)[0].strays
    site.dead_letters.delete(OTHER.key.pdf)
    watched(site)

    assert [(stray.id, stray.shape, stray.kept) for stray in strays] == [(OTHER.key.job_id, Shape.PDF_ONLY, False)]
    assert load(site.dead_letters)[0].strays == ()


def test_a_letter_whose_document_was_archived_meanwhile_becomes_a_stray() -> None:
    site = buried()
    watched(site)
    site.send(LETTER)
    site.drain_until_quiet()

    watched(site)

    assert [stray.id for stray in load(site.dead_letters)[0].strays] == [LETTER.key.job_id]


def test_in_the_end_every_letters_turn_comes_to_be_compared() -> None:
    site = Site()
    count = AT_ONCE + 10
    for number in range(count):
        site.dead_letters.put(Letter("Firma AS", "", f"text {number}").key.pdf, b"", "application/pdf")
    turns = []

    for _ in range(3):
        watched(site)
        turns.append(load(site.dead_letters)[0].checked_to)

    assert [bool(turn) for turn in turns] == [True, False, True]


def test_old_letters_are_settled_by_the_way() -> None:
    site = buried()

    answer = after(site, days=6)

    assert (answer.kept, answer.expired, answer.postponed) == (1, 0, 0)


def test_a_pause_is_shown_with_the_depth_and_alerts_each_day_it_lasts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    site = Site()
    pause(site.letter_parts(), PauseRequest(reason="an upgrade", actor="Kari"))

    shown = [after(site, hours=hours).pauses[0].age_seconds for hours in (0, 23, 2, 2, 22)]

    assert shown == [0, 82_800, 90_000, 97_200, 176_400]
    assert [line["ageSeconds"] for line in lines(caplog, "archive.pause_alert")] == [90_000, 176_400]
    assert gauges(caplog)["archive_paused", "all"] == 1

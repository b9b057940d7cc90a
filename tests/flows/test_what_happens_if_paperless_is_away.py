"""Whatever way Paperless is away, nobody is charged, nothing is lost, and everything arrives afterwards."""

from __future__ import annotations

import pytest

from shared.domain.drain import Ending, Stop
from tests.flows.meddling import (
    POST,
    LastFirst,
    after,
    break_paperless,
    hours,
    left_over,
    letters,
    row,
    send_all,
    uploads,
    waiting,
)
from tests.prove.site import Site


def home_after(site: Site, count: int, away: float, kind: str, **details: object) -> set[Stop]:
    """An outage of so many hours over so many documents, which all must arrive once after it; why runs stopped."""
    some, stops = letters(count), set[Stop]()
    send_all(site, some)
    break_paperless(site, kind, **details)
    for _ in range(round(away * 12)):
        stops.add(site.drain().stop)
        site.wait()
    assert not list(site.dead_letters.list(""))
    assert all(waiting(site, letter).retry_count == 0 for letter in some)
    site.paperless.clear_faults()
    site.drain_until_quiet()
    assert [len(site.copies(letter.key)) for letter in some] == [1] * count
    assert not left_over(site)
    return stops


def test_with_connections_refused_the_run_ends_after_its_pauses_and_nothing_is_touched() -> None:
    site = Site()
    send_all(site, letters(3))
    queued = [info.version for info in site.queue.list("")]
    break_paperless(site, "refused")
    started = site.clock.now()

    report = site.drain()

    assert report.stop is Stop.DOWN
    assert (site.clock.now() - started).total_seconds() == 14
    assert [info.version for info in site.queue.list("")] == queued


@pytest.mark.parametrize("details", [{"status": 503}, {"status": 500}, {"status": 521}])
def test_with_every_answer_a_5xx_nobody_is_charged(details: dict[str, object]) -> None:
    assert home_after(Site(), 3, 2, "error", **details) == {Stop.DOWN}


def test_requests_that_hang_end_in_time_and_charge_nobody() -> None:
    assert home_after(Site(), 2, 1, "hung") == {Stop.DOWN}


def test_with_redis_down_nobody_is_charged() -> None:
    assert home_after(Site(), 5, 4, "redis_down") == {Stop.DOWN}


def test_with_redis_down_a_single_document_is_not_charged_either_and_the_run_says_so() -> None:
    assert home_after(Site(), 1, 3, "redis_down") == {Stop.DOWN}


@pytest.mark.parametrize("count", [1, 5])
@pytest.mark.parametrize("status", [502, 504, 522])
def test_a_gateway_that_answers_for_paperless_all_day_kills_nobody(count: int, status: int) -> None:
    home_after(Site(), count, 6, "error", status=status, path=POST)


def test_uploads_that_hang_all_day_kill_nobody() -> None:
    home_after(Site(), 2, 6, "hung", path=POST)


def test_uploads_throttled_all_day_kill_nobody() -> None:
    home_after(Site(), 2, 6, "throttled", path=POST, retry_after=60, seconds=0.1)


def test_a_401_stops_the_run_at_once() -> None:
    site = Site()
    send_all(site, letters(3))
    break_paperless(site, "unauthorized")
    started = site.clock.now()

    assert site.drain().stop is Stop.AUTH
    assert site.clock.now() == started


def test_a_token_refused_for_half_a_day_charges_nobody() -> None:
    assert home_after(Site(), 3, 12, "unauthorized") == {Stop.AUTH}


def test_the_login_page_of_the_edge_stops_the_run_and_charges_nobody() -> None:
    assert home_after(Site(), 3, 2, "login_redirect") == {Stop.AUTH}


def test_the_login_page_in_the_place_of_uploads_only_charges_nobody() -> None:
    assert home_after(Site(), 5, 2, "login_redirect", path=POST) == {Stop.AUTH}


def test_a_403_page_for_everybody_charges_nobody() -> None:
    assert home_after(Site(), 5, 2, "forbidden", html=True, path=POST) == {Stop.AUTH}


def test_insufficient_permissions_stop_the_run_as_our_own_mistake() -> None:
    site, some = Site(), letters(3)
    send_all(site, some)
    break_paperless(site, "forbidden", path=POST)

    report = site.drain()

    assert report.stop is Stop.CONFIG
    assert "Insufficient permissions" in report.detail
    assert sum(row(site, letter).retry_count for letter in some) == 0


def test_a_429_is_waited_out_as_long_as_it_says_and_sent_in_the_same_run() -> None:
    site, (letter,) = Site(), letters(1)
    site.send(letter)
    break_paperless(site, "throttled", path=POST, retry_after=7, times=2)
    started = site.clock.now()

    report = site.drain()

    assert report.endings[Ending.ARCHIVED] == 1
    assert (site.clock.now() - started).total_seconds() >= 14


def test_a_429_that_does_not_end_leaves_the_document_for_the_next_run() -> None:
    site, (letter,) = Site(), letters(1)
    site.send(letter)
    break_paperless(site, "throttled", path=POST, retry_after=1, times=4)

    first, second = site.drain(), site.drain()

    assert (first.endings[Ending.RETRY], second.endings[Ending.ARCHIVED]) == (1, 1)


@pytest.mark.parametrize("version", ["3.0.5", "2.20.15"])
def test_with_the_worker_down_overnight_there_are_no_copies_when_it_returns(version: str) -> None:
    site = Site(version=version)  # type: ignore[arg-type]

    home_after(site, 5, 8, "worker_down")

    assert len(uploads(site)) == 5


def test_an_upload_accepted_before_paperless_broke_down_is_no_evidence_against_those_refused_after() -> None:
    site, some = Site(workers=LastFirst()), letters(2)
    send_all(site, some)
    site.archive = after(site.archive, "upload", lambda: break_paperless(site, "error", status=500, path=POST))

    report = site.drain()

    assert report.endings[Ending.ARCHIVED] == 1
    assert report.charged == 0


def test_a_run_goes_on_when_paperless_comes_back_within_its_pauses() -> None:
    site, (letter,) = Site(), letters(1)
    site.send(letter)
    break_paperless(site, "refused", lasts=5.0)

    assert site.drain().endings[Ending.ARCHIVED] == 1


def test_after_a_night_of_refusals_the_count_of_submissions_is_not_used_up() -> None:
    site, (letter,) = Site(), letters(1)
    site.send(letter)
    break_paperless(site, "redis_down")
    hours(site, 8)
    site.paperless.clear_faults()

    assert site.drain().endings[Ending.ARCHIVED] == 1

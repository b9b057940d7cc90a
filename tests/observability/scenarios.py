"""What happens to an archive in its days, and which alerts must tell of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import httpx

from shared.domain.pauses import PauseRequest
from shared.services import pauses
from shared.services.feed import PAUSED
from tests.flows.meddling import before, break_paperless, dies, refuse, rewired
from tests.observability.watched_site import DRAIN, WATCH, WatchedSite
from tests.prove.effects import Killed
from tests.prove.site import Letter

ORGANIZATIONS = ("Firma AS", "Other AS", "Third AS", "Fourth AS")


@dataclass(frozen=True, slots=True)
class Incident:
    """Something happens; these alerts and no others tell of it."""

    name: str
    happen: Callable[[WatchedSite], object]
    alerts: tuple[str, ...] = ()


def letters(count: int, text: str = "letter") -> list[Letter]:
    owners = (ORGANIZATIONS[number % len(ORGANIZATIONS)] for number in range(count))
    return [Letter(owner, f"{text} {number}", f"{text} {number}") for number, owner in enumerate(owners)]


def normal_day(watched: WatchedSite) -> None:
    watched.run(24, lambda number: watched.send(*letters(2, f"run {number}")))


def away(hours: float, kind: str, **details: Any) -> Callable[[WatchedSite], None]:
    """Paperless fails in one way for so long, and recovers."""

    def happen(watched: WatchedSite) -> None:
        watched.send(*letters(12))
        break_paperless(watched.site, kind, **details)
        watched.run(hours)
        watched.site.paperless.clear_faults()
        watched.run(2, lambda number: watched.send(*letters(1, f"late {number}")))

    return happen


def poisoned(count: int) -> Callable[[WatchedSite], None]:
    """Documents that Paperless refuses whenever they are sent, among others it takes; later they are dealt with."""

    def happen(watched: WatchedSite) -> None:
        bad = letters(count, "poison")
        for letter in bad:
            refuse(watched.site, letter, "error", status=413)
        watched.send(*bad)
        watched.run(3, lambda number: watched.send(*letters(4, f"sound {number}")))
        for info in list(watched.site.dead_letters.list("")):
            watched.site.dead_letters.delete(info.key)
        watched.run(2)

    return happen


def waiting(count: int, hours: float) -> Callable[[WatchedSite], None]:
    """So many documents wait for so long, because somebody paused the drain."""

    def happen(watched: WatchedSite) -> None:
        watched.site.queue.put(PAUSED, b"{}", "application/json")
        watched.send(*letters(count))
        watched.run(hours)
        for info in list(watched.site.queue.list("")):
            watched.site.queue.delete(info.key)
        watched.run(1)

    return happen


def not_scheduled(function: str, runs: int) -> Callable[[WatchedSite], None]:
    """The schedule of one function misses so many runs."""

    def happen(watched: WatchedSite) -> None:
        watched.run(1)
        schedules = watched.scheduled
        watched.scheduled = tuple(name for name in schedules if name != function)
        watched.run(runs / 12)
        watched.scheduled = schedules
        watched.run(1)

    return happen


def runs_die(watched: WatchedSite) -> None:
    """Runs begin and are killed, for an hour."""
    watched.run(1)
    sound, watched.site.workers = watched.site.workers, before(watched.site.workers, "run", dies, times=12)
    watched.send(*letters(1))
    for _ in range(12):
        with suppress(Killed):
            watched.serve(DRAIN, watched.site.drain)
        watched.serve(WATCH, watched.watch)
        watched.wait()
    watched.site.workers = sound
    watched.run(1)


def _forgetting(request: httpx.Request) -> httpx.Request:
    url = request.url.copy_remove_param("custom_field_query")
    return httpx.Request(request.method, url, headers=request.headers, content=request.read())


def filters_ignored(watched: WatchedSite) -> None:
    """A proxy before Paperless forgets what was asked for."""
    watched.send(*letters(3, "first"))
    watched.run(1)
    rewired(watched.site, request=_forgetting)
    watched.send(*letters(3, "second"))
    watched.run(3)
    rewired(watched.site)
    watched.run(1)


def second_copy(watched: WatchedSite) -> None:
    """Paperless has a document twice when another of the same bytes is delivered."""
    first = letters(1)[0]
    watched.send(first)
    watched.run(0.5)
    archive = watched.site.paperless.world.archive
    stored = archive.documents[watched.site.copies(first.key)[0]]
    archive.add(replace(stored, id=archive.next_id("document")))
    watched.send(replace(first, document="another"))
    watched.run(3)


def changed_in_paperless(watched: WatchedSite) -> None:
    """A person takes a document's correspondent away before the drain has looked at it; later it is put back."""
    letter = letters(1)[0]
    watched.send(letter)
    break_paperless(watched.site, "worker_down")
    watched.run(1 / 12)
    watched.site.paperless.clear_faults()
    watched.wait()
    archive = watched.site.paperless.world.archive
    stored = archive.documents[watched.site.copies(letter.key)[0]]
    correspondent, stored.correspondent = stored.correspondent, None
    watched.run(5)
    stored.correspondent = correspondent
    watched.run(1)


def letter_grows_old(days: float) -> Callable[[WatchedSite], None]:
    """A dead letter that nobody deals with."""

    def happen(watched: WatchedSite) -> None:
        dead = letters(1, "dead")[0]
        refuse(watched.site, dead, "error", status=413)
        watched.send(dead)
        watched.run(24 * days)

    return happen


def paused(days: float) -> Callable[[WatchedSite], None]:
    """Somebody pauses one organisation and forgets it for so long."""

    def happen(watched: WatchedSite) -> None:
        dead_letter_parts, organization = watched.site.letter_parts(), letters(1)[0].organization_id
        pauses.pause(dead_letter_parts, PauseRequest(organization_id=organization, reason="moving", actor="kari"))
        watched.run(24 * days)
        pauses.resume(dead_letter_parts, organization, "kari")
        watched.run(1)

    return happen


DEAD = "dead_letters_present"
INCIDENTS = (
    Incident("a day without Paperless", away(24, "refused"), ("breaker_open",)),
    Incident("Redis down: uploads 500, lookups 200", away(24, "redis_down"), ("breaker_open",)),
    Incident("a day of 401", away(24, "unauthorized"), ("paperless_unauthorized",)),
    Incident("a day of the edge's login page", away(24, "login_redirect"), ("paperless_unauthorized",)),
    Incident("a right that the drain lacks", away(6, "forbidden"), ("paperless_misconfigured",)),
    Incident("one poisoned document", poisoned(1), (DEAD,)),
    Incident("six poisoned documents", poisoned(6), (DEAD, "jobs_failing")),
    Incident("501 documents for an hour", waiting(501, 1), ("queue_backlog",)),
    Incident("the drain is not called three times", not_scheduled(DRAIN, 3), ("drain_not_invoked",)),
    Incident("the drain is not called for an hour", not_scheduled(DRAIN, 12), ("drain_not_invoked", "drain_heartbeat")),
    Incident("the watch is not called for an hour", not_scheduled(WATCH, 12), ("dead_letters_unwatched",)),
    Incident("runs that die", runs_die, ("drain_heartbeat",)),
    Incident("filters that are ignored", filters_ignored, ("canary_failed",)),
    Incident("a second copy", second_copy, ("surplus_copies",)),
    Incident("a document changed in Paperless", changed_in_paperless, ("verification_failed",)),
    Incident("a letter of a day", letter_grows_old(1.1), (DEAD, "dead_letter_one_day_old")),
    Incident(
        "a letter of six days",
        letter_grows_old(6.1),
        (DEAD, "dead_letter_one_day_old", "dead_letter_three_days_old", "dead_letter_six_days_old"),
    ),
    Incident("a pause of a day and a half", paused(1.5), ("paused_for_a_day",)),
)
TRIFLES = (
    Incident("Paperless restarts", away(1 / 12, "refused")),
    Incident("500 documents for an hour", waiting(500, 1)),
    Incident("a pause of an evening", paused(0.9)),
    Incident("501 documents for ten minutes", waiting(501, 2 / 12)),
    Incident("the drain is not called once", not_scheduled(DRAIN, 1)),
    Incident("the watch is not called twice", not_scheduled(WATCH, 2)),
)

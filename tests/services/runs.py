"""A run of the drain opened by hand, so that one step of it can be looked at."""

from __future__ import annotations

from datetime import timedelta

from shared.domain.drain import DrainOptions
from shared.domain.sidecar import Sidecar
from shared.services.drain_run import DrainRun
from shared.services.feed import Candidate
from shared.services.labels import open_book
from shared.services.sidecars import Held
from tests.prove.site import Letter, Site

LETTER = Letter("Firma AS", "invoice 1", "An invoice")
TWIN = Letter("Firma AS", "invoice 2", "An invoice")


def opened(site: Site, owner: str = "this run", options: DrainOptions | None = None) -> DrainRun:
    options = options or DrainOptions()
    return DrainRun(
        site.drain_parts(),
        options,
        open_book(site.archive, site.audit, options),
        site.archive.version().checksum_algorithm,
        owner=owner,
        deadline=site.clock.now() + timedelta(seconds=options.budget_seconds),
    )


def candidate(site: Site, letter: Letter = LETTER) -> Candidate:
    return Candidate(letter.key, site.clock.now())


def held(run: DrainRun, letter: Letter = LETTER) -> Held:
    found = run.sidecars.read(letter.key)
    assert found is not None
    return found


def sent(letter: Letter = LETTER, **options: object) -> Site:
    """A site with one document in its queue."""
    site = Site(**options)  # type: ignore[arg-type]
    site.send(letter)
    return site


def stored(site: Site, sidecar: Sidecar) -> None:
    """Put a sidecar there as if an earlier run had left it so."""
    site.queue.put(sidecar.key.sidecar, sidecar.to_json(), "application/json")

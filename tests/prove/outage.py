"""A day without Paperless, in every way it can be away: nobody is charged, nothing is lost, everything arrives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shared.domain.audit import Disposition
from shared.domain.drain import Ending
from shared.domain.errors import Unavailable
from tests.prove.incidents import watching
from tests.prove.report import Proof
from tests.prove.site import Letter, Site
from tests.stand_ins.paperless.faults import Fault
from tests.stand_ins.paperless.options import VERSIONS, ServerVersion

RUNS_IN_A_DAY = 288
ORGANIZATIONS = ("Firma AS", "Other AS", "Third AS", "Fourth AS")


@dataclass(frozen=True, slots=True)
class Outage:
    """What is broken, and whether somebody must be told."""

    name: str
    begin: Callable[[Site], object]
    end: Callable[[Site], object]
    alerts: int
    runs: int = RUNS_IN_A_DAY


def fault(kind: str, **details: Any) -> Callable[[Site], object]:
    return lambda site: site.paperless.add_fault(Fault(kind, **details))


def mended(site: Site) -> None:
    site.paperless.clear_faults()


class _NoAudit:
    """audit-callback while it is away."""

    def __getattr__(self, _: str) -> Callable[..., object]:
        def call(*_: object) -> object:
            raise Unavailable("audit-callback is away")

        return call


def audit_away(site: Site) -> None:
    site.audit, site.spare = _NoAudit(), site.audit  # type: ignore[assignment]


def audit_back(site: Site) -> None:
    site.audit = site.spare  # type: ignore[assignment]


OUTAGES = (
    Outage("connections refused", fault("refused"), mended, alerts=1),
    Outage("every answer a 503", fault("error", status=503), mended, alerts=1),
    Outage("requests that hang", fault("hung"), mended, alerts=1, runs=24),
    Outage("the token refused (401)", fault("unauthorized"), mended, alerts=1),
    Outage("the edge's login page", fault("login_redirect"), mended, alerts=1),
    Outage("the edge's 403 page", fault("forbidden", html=True), mended, alerts=1),
    Outage("Redis down: uploads 500, lookups 200", fault("redis_down"), mended, alerts=1),
    Outage("the worker down overnight", fault("worker_down"), mended, alerts=0, runs=144),
    Outage("the worker killed at work", fault("worker_killed", times=3), mended, alerts=0, runs=30),
    Outage("audit-callback away", audit_away, audit_back, alerts=0),
)


def run(proof: Proof, versions: tuple[ServerVersion, ...] = VERSIONS) -> None:
    for version in versions:
        for outage in OUTAGES:
            _survive(proof, version, outage)
        _poison(proof, version)


def _survive(proof: Proof, version: ServerVersion, outage: Outage) -> None:
    site = Site(version=version, consume_seconds=1.0)
    letters = [Letter(name, f"{name} {number}", f"{name} {number}") for name in ORGANIZATIONS for number in range(3)]
    for letter in letters[::2]:
        site.send(letter)
    outage.begin(site)
    with watching(site.clock) as incidents:
        for number in range(outage.runs):
            if number == 1:
                for letter in letters[1::2]:
                    site.send(letter)
            site.drain()
            site.wait()
        outage.end(site)
        _bring_home(site)
    where = f"{version}: {outage.name}"
    _check(proof, site, letters, where)
    proof.check(incidents.count == outage.alerts, f"{where}: {incidents.count} alerts instead of {outage.alerts}")
    proof.count("outages")
    proof.count("documents delivered", len(letters))
    proof.say(f"{where}: {outage.runs} runs, {len(letters)} documents home, {incidents.count} alert")


def _bring_home(site: Site) -> None:
    """What comes in later also shows Paperless at work, which tells a lost task from a slow one."""
    for number in range(40):
        site.send(Letter("Late AS", f"late {number}", f"late {number}"))
        site.drain()
        site.wait()


def _check(proof: Proof, site: Site, letters: list[Letter], where: str) -> None:
    for letter in letters:
        rows = site.ledger.job(letter.key)
        proof.check([row.disposition for row in rows] == [Disposition.ARCHIVED], f"{where}: {letter.document} {rows}")
        proof.check([row.retry_count for row in rows] == [0], f"{where}: {letter.document} was charged")
        proof.check(len(site.copies(letter.key)) == 1, f"{where}: {site.copies(letter.key)} of {letter.document}")
    proof.check(not list(site.dead_letters.list("")), f"{where}: somebody is dead")
    proof.check(not list(site.queue.list("")), f"{where}: somebody is left behind")


def _poison(proof: Proof, version: ServerVersion) -> None:
    """One document that breaks every upload of it, at the head of the queue: only it is charged, and it alone dies."""
    site = Site(version=version)
    bad = Letter("Firma AS", "poison", "poison")
    letters = [Letter(name, f"{name} {number}", f"{name} {number}") for name in ORGANIZATIONS for number in range(5)]
    for attempt in range(1, 12):
        name = f"{bad.organization_id.hex}-{bad.document_type}-{bad.key.sha256}-{attempt}.pdf"
        site.paperless.add_fault(Fault("error", status=500, file_name=name))
    for letter in (bad, *letters):
        site.send(letter)
    first = site.drain()
    where = f"{version}: one poison document"
    proof.check(first.endings[Ending.ARCHIVED] == len(letters), f"{where}: {first.as_json()} delayed others")
    for number in range(6):
        site.send(Letter("Other AS", f"next {number}", f"next {number}"))
        site.drain()
        site.wait()
    rows = site.ledger.job(bad.key)
    proof.check([row.disposition for row in rows] == [Disposition.DEAD], f"{where}: {rows}")
    proof.check(site.dead_letters.stat(bad.key.pdf), f"{where}: it is not among the dead letters")
    charged = [letter.document for letter in letters for row in site.ledger.job(letter.key) if row.retry_count]
    proof.check(not charged, f"{where}: charged too: {charged}")
    proof.say(f"{where}: {len(letters)} others delivered at once, it alone is dead")
